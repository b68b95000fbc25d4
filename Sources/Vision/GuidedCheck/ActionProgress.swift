import FaceCore

/// The progress of one action of the person. It counts only after a state of rest, so that a photo of a
/// smiling person is not accepted.
struct ActionProgress {
  let action: CheckAction
  private let options: CheckOptions
  private var wasAtRest = false
  private var wasDone = false
  private var movement: HeadMovement

  init(_ action: CheckAction, _ options: CheckOptions) {
    self.action = action
    self.options = options
    movement = HeadMovement(action, options)
  }

  var tip: Tip { wasAtRest ? action.tip : .lookStraight }

  /// Returns whether the action is completed by this frame.
  mutating func update(with face: Face, at now: TimeSpan) -> Bool {
    if action == .nod || action == .shake {
      defer { wasAtRest = movement.wasAtRest }
      return movement.update(with: face, at: now)
    }
    guard let amount = amount(face) else { return false }
    if amount <= 0 { wasAtRest = true }
    if wasAtRest, amount >= 1 { wasDone = true }
    // A blink ends with the eyes open again.
    return wasDone && (action != .blink || amount <= 0)
  }

  /// Returns 0 or less at rest, 1 or more when it is done; `nil` where that is not known.
  private func amount(_ face: Face) -> Float? {
    switch action {
    case .blink:
      guard let eyes = face.eyes else { return nil }
      let (least, most) = (min(eyes.leftOpen, eyes.rightOpen), max(eyes.leftOpen, eyes.rightOpen))
      // Both eyes: a wink does not count.
      if eyes.meanOpen < options.maxBlinkOpen, most < options.maxBlinkOpen + 0.15 { return 1 }
      return least >= min(options.maxBlinkOpen + 0.1, 0.9) ? 0 : 0.5
    case .turnLeft: return face.pose.map { turned($0.yaw) }
    case .turnRight: return face.pose.map { turned(-$0.yaw) }
    // A smile is at rest below 4/7 of the limit.
    case .smile: return face.mouth.map { ($0.smile / options.minSmile * 7 - 4) / 3 }
    case .openMouth: return face.mouth.map { ($0.open - 0.2) / 0.2 }
    case .nod, .shake: return nil
    }
  }

  /// Returns the amount of a turn; up to half of the angle, to either side, is at rest.
  private func turned(_ yaw: Float) -> Float {
    if abs(yaw) <= options.turnAngle / 2 { return 0 }
    return yaw >= options.turnAngle ? 1 : 0.5
  }
}

extension CheckAction {
  /// The output that shows the action.
  var output: FaceOutputs {
    switch self {
    case .blink: .eyes
    case .turnLeft, .turnRight: .pose
    case .smile, .openMouth: .mouth
    case .nod, .shake: [.pose, .landmarks]
    }
  }
}

/// The order of an attempt's actions: shuffled by a seed, or as given.
struct ActionOrder: RandomNumberGenerator {
  private var state: UInt64

  static func actions(of options: CheckOptions, attempt: UInt32, seed: UInt64) -> [CheckAction] {
    guard options.shufflesActions else { return options.actions }
    // Successive attempts get unrelated orders because the generator mixes its state.
    var generator = ActionOrder(state: seed &+ UInt64(attempt) &* 0x9E37_79B9_7F4A_7C15)
    return options.actions.shuffled(using: &generator)
  }

  /// Returns the next number of SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
  /// generators", 2014.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
