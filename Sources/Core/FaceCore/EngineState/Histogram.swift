/// A histogram of durations, for percentiles: log-linear, 32 buckets for each power of two, so that a bucket
/// is at most 1/32 (3.1 %) of its values wide. Below 64 ns every value has a bucket of its own.
///
/// Memory grows with the durations: 6 KiB for those up to a millisecond, 15 KiB for the longest possible.
package struct Histogram: Equatable, Sendable {
  /// Log2 of the number of buckets for a power of two.
  private static let precision = 5

  private var buckets: [UInt64] = []
  package private(set) var count = 0
  private var longest: TimeSpan = .zero

  package init() {}

  /// - Parameter duration: a negative one, which no clock used here gives, counts as 0.
  package mutating func record(_ duration: TimeSpan) {
    let value = max(.zero, duration)
    let index = Self.index(of: value)
    while buckets.count <= index { buckets.append(0) }
    buckets[index] += 1
    count += 1
    longest = max(longest, value)
  }

  /// The number of durations in each bucket, for another process that continues the count.
  package var counts: [UInt64] { buckets }
  package var longestDuration: TimeSpan { longest }

  /// Takes over the counts of another process. Numbers that no process can have reached are clamped.
  package init(counts: [UInt64], longest: TimeSpan) {
    buckets = counts.prefix(Self.index(of: TimeSpan.max) + 1).map { min($0, 1 << 40) }
    count = buckets.reduce(0) { $0 + Int($1) }
    self.longest = max(.zero, longest)
  }

  /// Adds the durations of another histogram.
  package mutating func add(_ other: Histogram) {
    while buckets.count < other.buckets.count { buckets.append(0) }
    for (index, held) in other.buckets.enumerated() { buckets[index] += held }
    count += other.count
    longest = max(longest, other.longest)
  }

  /// Returns the duration that `percent` of all do not exceed (nearest rank), exact to half a bucket; 0 when
  /// there are none.
  /// - Parameter percent: 0 to 100.
  package func percentile(_ percent: Int) -> TimeSpan {
    let rank = max(1, (count * percent + 99) / 100)
    var passed: UInt64 = 0
    for (index, held) in buckets.enumerated() {
      passed += held
      if passed >= UInt64(rank) { return min(Self.middle(of: index), longest) }
    }
    return longest
  }

  package var summary: DurationSummary {
    var summary = DurationSummary()
    summary.count = count
    summary.p50 = percentile(50)
    summary.p90 = percentile(90)
    summary.p99 = percentile(99)
    summary.max = longest
    return summary
  }

  private static func index(of duration: TimeSpan) -> Int {
    let value = duration.nanoseconds
    let highest = Int64.bitWidth - 1 - value.leadingZeroBitCount
    let shift = max(0, highest - precision)
    return shift << precision + Int(value >> Int64(shift))
  }

  /// Returns the inverse of `index`: the middle of the bucket's values.
  private static func middle(of index: Int) -> TimeSpan {
    let shift = max(0, index >> precision - 1)
    let lowest = Int64(index - shift << precision) << Int64(shift)
    return TimeSpan(nanoseconds: lowest + (Int64(1) << Int64(shift)) / 2)
  }
}
