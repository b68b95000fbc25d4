import FaceCore

/// The order in which the actions of an attempt are asked for.
struct ActionOrder: RandomNumberGenerator {
  private var state: UInt64

  static func actions(of options: CheckOptions, attempt: UInt32, seed: UInt64) -> [CheckAction] {
    guard options.shufflesActions else { return options.actions }
    // Apart for neighbours, since the generator mixes.
    var generator = ActionOrder(state: seed &+ UInt64(attempt) &* 0x9E37_79B9_7F4A_7C15)
    return options.actions.shuffled(using: &generator)
  }

  /// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 (SplitMix64).
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
