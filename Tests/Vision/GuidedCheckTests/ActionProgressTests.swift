import FaceCore
import GuidedCheck
import Testing

/// The requested actions.
@Suite struct ActionProgressTests {
  private static let done: [CheckAction: [Face]] = [
    .blink: [Script.face(leftEye: 0.1, rightEye: 0.2)], .turnLeft: [Script.face(yaw: 25)],
    .turnRight: [Script.face(yaw: -25)], .smile: [Script.face(smile: 0.9)],
    .openMouth: [Script.face(mouth: 0.6)], .nod: [Script.face(pitch: -24)],
    .shake: [Script.face(yaw: 16), Script.face(yaw: -16)],
  ]

  /// The faces that a person shows one after the other, before returning to rest.
  private func act(_ action: CheckAction) throws -> [Face] {
    try #require(ActionProgressTests.done[action])
  }

  private func perform(_ action: CheckAction, _ seconds: Double = 0.1, in script: Script) throws {
    for face in try act(action) { try script.frames(seconds, [face]) }
  }

  @Test(arguments: CheckAction.allCases)
  func actionIsRequestedSeenAndThenThePictureTaken(action: CheckAction) throws {
    let script = try Script.checking([action])
    #expect(script.last?.report.tip == action.tip)
    #expect(script.last?.report.actionsDone == 0)
    // No picture is taken before.
    #expect(try !script.frames(3, [Script.face()]).contains("finish"))
    try perform(action, in: script)
    // These two end at rest.
    #expect(script.last?.report.actionsDone == (action == .blink || action == .nod ? 0 : 1))
    #expect(try script.frames(2, [Script.face()]).contains("finish"))
    #expect(script.last?.report.actionsDone == 1 && script.last?.report.actionCount == 1)
  }

  /// A smile on a photo is no action.
  @Test(arguments: CheckAction.allCases)
  func actionBeforeRestDoesNotCount(action: CheckAction) throws {
    let face = try #require(try act(action).first)
    let script = try Script(
      .with { options in
        options.actions = [action]
        options.tipTime = .zero
      })
    try script.begin(face)
    try script.frames(2, [face])
    #expect(script.last?.report.tip == .lookStraight)
    #expect(script.last?.report.actionsDone == 0)
  }

  /// A blink needs both eyes; a wink does not count.
  @Test(arguments: [
    (Float(0.5), Float(0.45), Float(0.52), true), (0.5, 0.55, 0.5, false), (0.5, 0.1, 0.8, false),
    (0.3, 0.45, 0.45, false), (0.3, 0.2, 0.35, true), (0.7, 0.6, 0.6, true),
  ])
  func blinkThresholdFollowsTheOptions(most: Float, left: Float, right: Float, isOne: Bool) throws {
    let script = try Script.checking([.blink]) { $0.maxBlinkOpen = most }
    try script.frames(0.1, [Script.face(leftEye: left, rightEye: right)])
    try script.frames(0.2, [Script.face()])
    #expect(script.last?.report.actionsDone == (isOne ? 1 : 0))
  }

  @Test(arguments: [
    (Float(0.7), Float(0.69), false), (0.7, 0.71, true), (0.4, 0.45, true), (0.95, 0.9, false),
  ])
  func smileThresholdFollowsTheOptions(least: Float, smile: Float, isOne: Bool) throws {
    let script = try Script.checking([.smile]) { $0.minSmile = least }
    try script.frames(0.2, [Script.face(smile: smile)])
    #expect(script.last?.report.actionsDone == (isOne ? 1 : 0))
  }

  @Test(arguments: CheckAction.allCases)
  func otherActionsDoNotCount(action: CheckAction) throws {
    for other in CheckAction.allCases where other != action {
      let script = try Script.checking([action])
      try perform(other, 0.3, in: script)
      try script.frames(0.3, [Script.face()])
      #expect(script.last?.report.actionsDone == 0, "\(other)")
    }
    let script = try Script.checking([action])
    try script.frames(0.3, [Script.face(yaw: 15, leftEye: 0.1, smile: 0.5, mouth: 0.3)])
    #expect(script.last?.report.actionsDone == 0)
  }

  @Test func actionsAreRequestedInTheirOrder() throws {
    let order: [CheckAction] = [.smile, .blink, .turnRight, .openMouth, .turnLeft, .blink, .smile, .blink]
    let script = try Script.checking(order)
    for (index, action) in order.enumerated() {
      #expect(script.last?.report.tip == action.tip)
      try perform(action, in: script)
      try script.frames(0.2, [Script.face()])
      #expect(script.last?.report.actionsDone == index + 1)
    }
    #expect(try script.frames(2, [Script.face()]).contains("finish"))
  }

  @Test func actionOfAMisplacedFaceDoesNotCount() throws {
    let script = try Script.checking([.smile])
    try script.frames(0.2, [Script.face(x: 420, smile: 0.9)])
    #expect(script.last?.report.tip == .moveLeft)
    #expect(script.last?.report.actionsDone == 0)
  }

  @Test func turnAngleFollowsTheOptions() throws {
    let script = try Script.checking([.turnLeft]) { $0.turnAngle = 40 }
    try script.frames(0.2, [Script.face(yaw: 39)])
    #expect(script.last?.report.actionsDone == 0)
    try script.frames(0.2, [Script.face(yaw: 41)])
    #expect(script.last?.report.actionsDone == 1)
  }

  @Test func checkTimesOutWithoutAnAction() throws {
    let script = try Script.checking([.blink]) { $0.timeout = .seconds(1) }
    #expect(try script.frames(1.2, [Script.face()]).suffix(2) == ["time_out", "failed time_out"])
  }

  // MARK: Random order

  /// The order in which actions are requested.
  private func order(_ seed: UInt64, attempt: UInt32 = 1) throws -> [CheckAction] {
    let all = CheckAction.allCases
    let script = try Script.checking(all, seed: seed, attempt: attempt) { $0.shufflesActions = true }
    var order: [CheckAction] = []
    for _ in all {
      let tip = script.last?.report.tip
      let action = try #require(all.first { $0.tip == tip })
      order.append(action)
      try perform(action, in: script)
      try script.frames(0.2, [Script.face()])
    }
    return order
  }

  @Test func randomOrderHasAllActionsAndVaries() throws {
    var seen: Set<[CheckAction]> = []
    for seed in UInt64(1)...30 {
      let order = try order(seed)
      #expect(Set(order) == Set(CheckAction.allCases))
      seen.insert(order)
    }
    #expect(seen.count > 15)  // of 5,040
    #expect(Set(try (1...20).map { try order(1, attempt: $0) }).count > 8)
    #expect(try order(5) == order(5))
  }
}
