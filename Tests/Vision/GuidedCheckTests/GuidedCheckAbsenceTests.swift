import FaceCore
import GuidedCheck
import Testing

/// A face that returns after more than a moment may be another person's, whatever its id: earlier actions do
/// not count.
@Suite struct GuidedCheckAbsenceTests {
  private func script(
    _ actions: [CheckAction] = [.smile, .openMouth], grace: TimeSpan = .milliseconds(250)
  ) throws -> Script { try .checking(actions) { $0.grace = grace } }

  private func doneCount(_ script: Script) throws -> Int { try #require(script.last).report.actionsDone }

  private func smile(_ script: Script) throws {
    try script.frames(0.1, [Script.face(smile: 0.9)])
    try script.frames(0.2, [Script.face()])
    #expect(try doneCount(script) == 1)
  }

  @Test(arguments: [(0.18, 1), (0.32, 0), (1.2, 0)])
  func actionsBeginAnewAfterMoreThanTheGrace(seconds: Double, stillDone: Int) throws {
    let script = try script()
    try smile(script)
    try script.frames(seconds, [])
    #expect(try doneCount(script) == stillDone)
    #expect(script.last?.report.state == .checking)
    try script.frame([Script.face()])
    #expect(try doneCount(script) == stillDone)
    #expect(script.last?.report.tip == (stillDone == 1 ? CheckAction.openMouth : .smile).tip)
  }

  /// One frame without the face came in time: the time without a face counts.
  @Test func absenceLastsUntilTheFaceIsSeenAgain() throws {
    let script = try script()
    try smile(script)
    script.interval = .milliseconds(200)
    try script.frame([])
    #expect(try doneCount(script) == 1)
    try script.frame([Script.face()])
    #expect(try doneCount(script) == 0)
  }

  /// Frames that arrive slowly are no absence.
  @Test func slowFramesAreNoAbsence() throws {
    let script = try script()
    try smile(script)
    script.interval = .milliseconds(700)
    try script.frame([Script.face()])
    try script.frame([Script.face()])
    #expect(try doneCount(script) == 1)
  }

  @Test func halfDoneActionRestartsAtRest() throws {
    let script = try script([.blink])
    // Eyes closed, away, eyes open: no blink.
    try script.frames(0.1, [Script.face(leftEye: 0.1, rightEye: 0.1)])
    try script.frames(0.4, [])
    try script.frame([Script.face()])
    #expect(try doneCount(script) == 0)
    #expect(script.last?.report.tip == CheckAction.blink.tip)
  }

  /// The picture is not one from before the absence.
  @Test func holdingRestartsWithANewPicture() throws {
    let script = try script([.smile])
    try smile(script)
    try script.frames(0.6, [Script.face(quality: 0.9)])
    #expect(try #require(script.last).report.progress > 0.5)
    try script.frames(0.3, [])
    #expect(script.last?.report.progress == 0)
    try script.frames(0.5, [Script.face(quality: 0.4)])
    #expect(try doneCount(script) == 0)
    try script.frame([Script.face(smile: 0.9)])
    var isTaken = false
    for _ in 0..<60 where script.last?.isFinished == false {
      try script.frame([Script.face(quality: 0.4)])
      if script.last?.best != nil { isTaken = true }
    }
    #expect(script.last?.report.state == .finish && isTaken)
  }

  @Test func absenceKeepsTheOrderOfActionsAndTheTimeout() throws {
    let script = try Script.checking(CheckAction.allCases) { options in
      (options.shufflesActions, options.timeout) = (true, .seconds(4))
    }
    let first = script.last?.report.tip
    for _ in 0..<3 {
      try script.frames(0.8, [])
      try script.frame([Script.face()])
      #expect(script.last?.report.tip == .lookStraight || script.last?.report.tip == first)
      try script.frame([Script.face()])
      #expect(script.last?.report.tip == first)
    }
    #expect(try script.frames(2, [Script.face()]).suffix(1) == ["failed time_out"])
  }

  /// An absence as long as the grace is forgiven.
  @Test func graceFollowsTheOptions() throws {
    let script = try script(grace: .seconds(1))
    try smile(script)
    try script.frames(0.9, [])
    try script.frame([Script.face()])
    #expect(try doneCount(script) == 1)
    let strict = try self.script(grace: .zero)
    try smile(strict)
    try strict.frame([])
    #expect(try doneCount(strict) == 0)
  }
}
