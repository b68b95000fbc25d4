/// Counts durations by fixed upper bounds, and adds them up. The counts of several engines can be added, which
/// their percentiles cannot.
public struct DurationBuckets: Equatable, Sendable {
  /// The bounds of an engine of this version: 50 µs to 10 s.
  public static let standardBounds: [TimeSpan] = [
    50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000, 500_000_000,
    1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
  ].map { TimeSpan(nanoseconds: $0) }

  /// Upper bounds, ascending.
  public let bounds: [TimeSpan]
  /// The number of durations in each bucket: above the bound before, up to its own and equal to it. There is one
  /// more than there are bounds, as the last has none.
  public private(set) var counts: [UInt64]
  /// The sum of all durations; it stays at the largest number.
  public private(set) var sum: TimeSpan = .zero

  /// Makes empty buckets with the standard bounds.
  public init() {
    bounds = Self.standardBounds
    counts = [UInt64](repeating: 0, count: bounds.count + 1)
  }

  /// Takes over the counts of another process. Numbers that no process can have reached are clamped.
  ///
  /// Returns `nil` if the bounds do not ascend, or do not match the number of counts.
  public init?(bounds: [TimeSpan], counts: [UInt64], sum: TimeSpan) {
    guard counts.count == bounds.count + 1, zip(bounds, bounds.dropFirst()).allSatisfy(<) else { return nil }
    self.bounds = bounds
    self.counts = counts.map { min($0, 1 << 40) }
    self.sum = max(.zero, sum)
  }

  /// - Parameter duration: a negative one, which no clock used here gives, counts as 0.
  public mutating func record(_ duration: TimeSpan) {
    counts[bounds.firstIndex { duration <= $0 } ?? bounds.count] += 1
    sum = sum.saturatingAdd(max(.zero, duration))
  }

  /// Adds the durations of another engine; nothing if its bounds differ, since they cannot be divided anew.
  public mutating func add(_ other: DurationBuckets) {
    guard other.bounds == bounds else { return }
    for (index, count) in other.counts.enumerated() { counts[index] += count }
    sum = sum.saturatingAdd(other.sum)
  }

}
