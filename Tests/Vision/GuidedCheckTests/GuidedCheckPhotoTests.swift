import FaceCore
import GuidedCheck
import TestSupport
import Testing

/// The kept picture, the place of the circle, and photos.
@Suite struct GuidedCheckPhotoTests {
  @Test func bestFrameOfTheHoldIsKept() throws {
    let script = try Script()
    try script.begin()
    var kept: Float?
    let qualities: [Float] = [0.5, 0.5, 0.6, 0.4, 0.605, 0.9, 0.7, 0.9]
    for index in 0..<60 {
      let quality = qualities[index % qualities.count]
      try script.frame([Script.face(id: 1, quality: quality)])
      if script.last?.best != nil { kept = quality }
      #expect(script.last?.report.isBest == (script.last?.best != nil))
      if script.last?.isFinished == true { break }
    }
    #expect(script.last?.isFinished == true)
    #expect(kept == 0.9)
  }

  @Test func interruptionForgetsTheBestFrame() throws {
    let script = try Script()
    try script.begin()
    try script.frames(0.5, [Script.face(quality: 0.99)])
    try script.frames(0.5, [Script.face(yaw: 50, quality: 1)])
    #expect(script.last?.best == nil)
    var kept = 0
    while script.last?.isFinished != true {
      try script.frame([Script.face(quality: 0.5)])
      if script.last?.best != nil { kept += 1 }
    }
    #expect(kept == 1)
  }

  /// The picture is released when its person is gone or the check has ended.
  @Test func aPictureIsNeededOnlyWhileItsPersonIsChecked() throws {
    let script = try Script(.with { $0.startsOver = true })
    try script.begin()
    try script.frames(0.5, [Script.face(id: 1)])
    #expect(script.last?.report.needsPicture == true)
    try script.frames(1, [])
    #expect(script.last?.report.needsPicture == true, "away for a moment")
    try script.frame([Script.face(id: 2)])
    #expect(script.last?.report.needsPicture == false, "another face")
    try script.begin(Script.face(id: 2))
    try script.frames(3, [Script.face(id: 2)])
    #expect(script.last?.isFinished == true && script.last?.report.needsPicture == false)
  }

  @Test func defaultCircleIsInTheMiddleOfTheView() throws {
    func circle(_ change: (inout CheckOptions) -> Void) throws -> Circle? {
      let script = try Script(.with(change))
      try script.frame([])
      return script.last?.report.circle
    }
    #expect(try circle { _ in } == Circle(center: Point(x: 320, y: 240), radius: 192))
    // 480 × 960 filled with 640 × 480: scaled by 2, so that 240 columns in the middle are seen.
    let view = ViewTransform(width: 480, height: 960, fit: .cover)
    let middle = try #require(try circle { $0.space = .view(view) })
    #expect(abs(middle.center.x - 320) < 0.01 && abs(middle.radius - 0.4 * 480 / 2) < 0.01)
    let given = try #require(
      try circle { options in
        options.space = .view(view)
        options.mask = Circle(center: Point(x: 0, y: 0), radius: 100)
      })
    #expect(abs(given.center.x - 200) < 0.01 && abs(given.center.y) < 0.01 && abs(given.radius - 50) < 0.01)
    #expect(
      try circle { $0.space = .normalised } == Circle(center: Point(x: 320, y: 240), radius: 192))
  }

  @Test func aPhotoGetsEveryTipThatAppliesToIt() throws {
    func photo(_ faces: [Face], brightness: Float? = 0.5) throws -> [String] {
      let frame = GuidedCheck.Frame(
        time: 0, imageSize: PixelSize(width: 640, height: 480), faces: faces, brightness: brightness)
      let step = try GuidedCheck.photo(frame, .with { $0.actions = [.smile] })
      #expect(step.report.isBest == step.isFinished && !step.report.needsPicture)
      return Script.said(step)
    }
    #expect(try photo([Script.face()]) == ["finish", "tip done", "result"])
    #expect(try photo([]) == ["failed", "tip no_face", "failed not_right"])
    #expect(
      try photo([Script.face(side: 100, pitch: 30, leftEye: 0)], brightness: 0.1) == [
        "failed", "tip come_closer", "tip too_dark", "tip look_down", "tip open_eyes", "failed not_right",
      ])
  }

  @Test func optionsOutsideTheirRangeAreNamed() throws {
    for (name, change) in [
      ("hold_ns is -1 ns; give 0 or more", { $0.hold = .nanoseconds(-1) }),
      ("hysteresis", { $0.hysteresis = 0.6 }),
      ("max_yaw", { $0.maxYaw = .nan }),
      ("min_face", { $0.minFace = -0.1 }), ("min_face", { $0.minFace = 1.5 }),
      ("max_brightness", { $0.maxBrightness = 0.1 }),
      ("mask", { $0.mask = Circle(center: Point(x: 1, y: 1), radius: 0) }),
      ("actions", { $0.actions = Array(repeating: .blink, count: 9) }), ("crop_size", { $0.cropSize = 15 }),
      ("min_sharpness is 1.5; give 0 to 1", { $0.minSharpness = 1.5 }),
      ("turn_angle", { $0.turnAngle = 0 }),
      ("view", { $0.space = .view(ViewTransform(width: 0, height: 1)) }),
    ] as [(String, (inout CheckOptions) -> Void)] {
      expectFailure(.invalidArgument, name) { try CheckOptions.with(change).validate() }
    }
  }
}
