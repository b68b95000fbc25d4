import FaceCore
import GuidedCheck
import Testing

/// Every transition between the states.
@Suite struct GuidedCheckTests {
  @Test func checkGoesFromNoFaceToAPicture() throws {
    let script = try Script()
    #expect(try script.frame([]) == ["waiting", "tip prompt"])
    #expect(try script.frames(3, []) == [])
    #expect(try script.frame([Script.face()]) == ["start", "tip hold_still"])
    // The start delay is half a second, by the clock of the frames.
    #expect(try script.frames(0.46, [Script.face()]) == [])
    #expect(try script.frames(0.1, [Script.face()]) == ["checking"])
    #expect(try script.frames(0.9, [Script.face()]) == [])
    #expect(try script.frames(0.2, [Script.face()]) == ["finish", "tip done", "result"])
    #expect(script.last?.report.state == .finish)
    #expect(script.last?.report.progress == 1)
  }

  @Test func singleFrameCanFinishACheckWithoutHold() throws {
    let script = try Script(
      .with { options in
        options.startDelay = .zero
        options.hold = .zero
        options.maxMotion = 10
      })
    // The check requests no measurements before it has begun.
    #expect(try script.frame([Script.face()]) == ["waiting", "start", "checking", "tip hold_still"])
    #expect(try script.frame([Script.face()]) == ["finish", "tip done", "result"])
  }

  @Test func faceThatLeavesTheCircleRestartsTheStartDelay() throws {
    let script = try Script()
    #expect(try script.frame([Script.face()]).contains("start"))
    // A moment is forgiven.
    #expect(try script.frames(0.2, []) == ["clear"])
    #expect(try script.frame([Script.face()]) == [])
    #expect(try script.frames(0.5, []).contains("waiting"))
    #expect(try script.frame([Script.face()]).contains("start"))
    #expect(try script.frames(0.4, [Script.face()]).contains("checking") == false)
    #expect(try script.frames(0.2, [Script.face()]).contains("checking"))
  }

  @Test func anotherFaceRestartsTheStartDelay() throws {
    let script = try Script()
    try script.frames(0.4, [Script.face(id: 1)])
    #expect(try script.frames(0.4, [Script.face(id: 2)]).contains("checking") == false)
    #expect(try script.frames(0.2, [Script.face(id: 2)]).contains("checking"))
  }

  /// Boxes of two people beside the circle change a little from frame to frame; a third one who steps in is next.
  @Test func tipsAreAboutOnePersonAtATime() throws {
    let script = try Script(.with { $0.maxOtherFace = 1 })
    var tips: [String] = []
    for frame in 0..<90 {
      let sides: (Float, Float) = frame.isMultiple(of: 9) ? (200, 210) : (210, 200)
      let people = [
        Script.face(x: 90, side: sides.0, id: 1), Script.face(x: 550, side: sides.1, id: 2),
      ]
      tips += try script.frame(people).filter { $0.hasPrefix("tip") }
    }
    #expect(tips == ["tip move_left"])
    #expect(
      try script.frame([Script.face(x: 550, side: 210, id: 2), Script.face(id: 3)]).contains("start"))
  }

  @Test func checkingTimesOut() throws {
    let script = try Script(.with { $0.timeout = .seconds(2) })
    try script.begin()
    let said = try script.frames(1.9, [Script.face(yaw: 40)])
    #expect(!said.contains("time_out"))
    #expect(try script.frames(0.2, [Script.face(yaw: 40)]) == ["time_out", "failed time_out"])
    // After the end, the only event is that the drawing is cleared.
    #expect(try script.frame([Script.face()]) == ["clear"])
    #expect(try script.frames(5, [Script.face()]) == [])
    #expect(script.last?.report.state == .timeOut)
  }

  @Test func waitingTimesOut() throws {
    let script = try Script(.with { $0.waitTimeout = .seconds(1) })
    #expect(try script.frames(0.9, []) == ["waiting", "tip prompt"])
    #expect(try script.frames(0.3, []) == ["time_out", "failed wait_time_out"])
  }

  @Test func timeoutOfZeroNeverEnds() throws {
    let script = try Script(.with { $0.timeout = .zero })
    script.interval = .seconds(1)
    try script.frames(4000, [])
    try script.begin()
    try script.frames(4000, [Script.face(yaw: 40)])
    #expect(script.last?.report.state == .checking)
  }

  @Test func aFaceThatIsAwayForTooLongIsLost() throws {
    for isBackInTime in [false, true] {
      let script = try Script()
      try script.begin()
      #expect(try script.frames(1.4, []).allSatisfy { $0 == "tip no_face" || $0 == "clear" })
      let said = try script.frames(isBackInTime ? 2 : 0.3, isBackInTime ? [Script.face()] : [])
      #expect(
        said.suffix(3) == (isBackInTime ? ["finish", "tip done", "result"] : ["failed", "failed face_lost"]))
    }
  }

  @Test func anotherFaceInItsPlaceFails() throws {
    let script = try Script()
    try script.begin()
    #expect(try script.frame([Script.face(id: 2)]).suffix(2) == ["failed", "failed face_changed"])
  }

  /// A person in the background, when the one who is checked is missed for a frame.
  @Test func anotherFaceElsewhereDoesNotFail() throws {
    let script = try Script()
    try script.begin()
    try script.frame([Script.face(x: 40, y: 60, side: 60, id: 2)])
    #expect(script.last?.report.state == .checking)
  }

  @Test(arguments: [true, false])
  func startsOverWaitsForTheNextPerson(isReplaced: Bool) throws {
    let script = try Script(
      .with { options in
        options.startsOver = true
        options.actions = [.smile]
      })
    try script.begin()
    try script.frames(0.5, [Script.face()])
    try script.frames(0.5, [Script.face(smile: 1)])
    #expect(script.last?.report.actionsDone == 1)
    let said = try script.frames(2, isReplaced ? [Script.face(id: 2)] : [])
    #expect(said.contains("waiting"))
    #expect(script.last?.report.actionsDone == 0)
    #expect(script.last?.report.progress == 0)
    #expect(script.last?.report.state == (isReplaced ? .checking : .waiting))
  }

  @Test func restartIsPossibleInEveryState() throws {
    for seconds in [0.1, 0.3, 0.8, 3] {
      let script = try Script()
      try script.frames(seconds, [Script.face()])
      script.check.restart(attempt: 2)
      #expect(try script.frame([]).contains("waiting"))
      #expect(script.last?.report.attempt == 2)
      #expect(try script.frames(2, [Script.face()]).suffix(3) == ["finish", "tip done", "result"])
    }
  }

  @Test func timestampsThatGoBackAreIgnored() throws {
    var check = GuidedCheck(CheckOptions(), seed: 0)
    let size = PixelSize(width: 640, height: 480)
    for time in [Int64.max, 5, 0, Int64.max, 7] {
      let step = try check.step(GuidedCheck.Frame(time: time, imageSize: size, faces: [Script.face()]))
      #expect(step.report.state == .start)
    }
  }

  @Test func theFaceIsDrawnUntilItGoes() throws {
    let script = try Script()
    try script.frame([Script.face(), Script.face(x: 600, side: 30, id: 2)])
    #expect(script.last?.report.events.contains(.draw(face: 0)) == true)
    try script.frame([Script.face(x: 600, side: 30, id: 2), Script.face()])
    #expect(script.last?.report.events.contains(.draw(face: 1)) == true)
    #expect(try script.frame([]).contains("clear"))
    #expect(try !script.frame([]).contains("clear"))
  }

  @Test func onlyNeededMeasurementsAreRequested() throws {
    let script = try Script(.with { $0.actions = [.smile] })
    #expect(script.check.neededOutputs == [] && !script.check.needsBrightness)
    try script.frame([Script.face()])
    #expect(script.check.neededOutputs == [.pose, .eyes, .mouth])
    try script.begin()
    #expect(script.check.neededOutputs == [.pose, .eyes, .mouth] && script.check.needsBrightness)
    try script.frames(0.5, [Script.face()])
    try script.frames(0.1, [Script.face(smile: 1)])
    #expect(script.check.neededOutputs == [.pose, .eyes, .mouth, .quality])
    try script.frames(2, [Script.face()])
    #expect(script.last?.report.state == .finish && script.check.neededOutputs == [])

    let lax = try Script(
      .with { options in
        (options.maxYaw, options.maxPitch, options.maxRoll, options.minEyesOpen) = (90, 90, 90, 0)
        (options.minBrightness, options.maxBrightness, options.minSharpness) = (0, 1, 0)
      })
    try lax.begin()
    #expect(lax.check.neededOutputs == [.quality] && !lax.check.needsBrightness)
  }
}
