import FaceCore

/// Random numbers of a seed. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// A time of up to `longest`; each power of two is as likely as the next.
  mutating func span(from shortest: TimeSpan, to longest: TimeSpan) -> TimeSpan {
    let (low, high) = (shortest.nanoseconds, longest.nanoseconds)
    let bits = Int64.bitWidth - (high / max(low, 1)).leadingZeroBitCount
    let limit = min(high, max(low, 1) << Int64(pick(0...bits)))
    return .nanoseconds(Int64.random(in: low...max(low, limit), using: &self))
  }

  mutating func isLucky(oneIn count: Int) -> Bool { next() % UInt64(count) == 0 }
}
