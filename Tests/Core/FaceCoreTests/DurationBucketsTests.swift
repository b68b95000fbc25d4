import FaceCore
import TestSupport
import Testing

@Suite struct DurationBucketsTests {
  private let bounds = DurationBuckets.standardBounds

  @Test func boundsAreStepsOfOneTwoAndAHalfAndFive() {
    #expect(bounds.first == 50_000 && bounds.last == 10_000_000_000)
    var steps: [TimeSpan] = []
    var power: TimeSpan = .microseconds(10)
    while power <= 10_000_000_000 {
      steps += [power, power / 2 * 5, power * 5]
      power = power * 10
    }
    #expect(bounds == steps.filter { (50_000...10_000_000_000).contains($0) })
  }

  /// A duration that equals a bound is in its bucket, the next nanosecond in the one above.
  @Test func durationsAreCountedAtTheBounds() {
    for (index, bound) in bounds.enumerated() {
      var buckets = DurationBuckets()
      for duration in [bound - 1, bound, bound + 1] { buckets.record(duration) }
      var expected = [UInt64](repeating: 0, count: bounds.count + 1)
      (expected[index], expected[index + 1]) = (2, 1)
      #expect(buckets.counts == expected)
      #expect(buckets.sum == bound * 3)
    }
  }

  @Test func shortestAndLongestDurationsAreCounted() {
    var buckets = DurationBuckets()
    for duration in [.nanoseconds(.min), -1, 0, 1] as [TimeSpan] { buckets.record(duration) }
    #expect(buckets.counts.first == 4 && buckets.sum == 1)
    for _ in 0..<2 { buckets.record(.max) }
    #expect(buckets.counts.last == 2 && buckets.sum == .max)
  }

  @Test func bucketsOfOneKindAreAdded() throws {
    var sum = DurationBuckets()
    sum.record(1_000_000)
    var other = DurationBuckets()
    for duration in [1_000_000, 20_000_000_000] as [TimeSpan] { other.record(duration) }
    sum.add(other)
    let place = try #require(bounds.firstIndex(of: 1_000_000))
    #expect(sum.counts[place] == 2 && sum.counts.last == 1)
    #expect(sum.counts.reduce(0, +) == 3 && sum.sum == 20_002_000_000)
  }

  @Test func bucketsWithOtherBoundsAreNotAdded() throws {
    var sum = DurationBuckets()
    sum.record(5)
    let before = sum
    let other = try #require(DurationBuckets(bounds: [10], counts: [7, 8], sum: 100))
    sum.add(other)
    #expect(sum == before)
  }

  @Test func boundsMustAscendAndMatchTheCounts() {
    #expect(DurationBuckets(bounds: [1, 2], counts: [0, 0, 0], sum: 0) != nil)
    #expect(DurationBuckets(bounds: [], counts: [3], sum: 4) != nil)
    #expect(DurationBuckets(bounds: [], counts: [], sum: 0) == nil)
    #expect(DurationBuckets(bounds: [1, 2], counts: [0, 0], sum: 0) == nil)
    #expect(DurationBuckets(bounds: [1, 2], counts: [0, 0, 0, 0], sum: 0) == nil)
    #expect(DurationBuckets(bounds: [2, 1], counts: [0, 0, 0], sum: 0) == nil)
    #expect(DurationBuckets(bounds: [1, 1], counts: [0, 0, 0], sum: 0) == nil)
  }

  /// Counts that no engine can have reached must not trap.
  @Test func absurdCountsAreBounded() throws {
    let absurd = try #require(
      DurationBuckets(
        bounds: DurationBuckets.standardBounds, counts: [UInt64](repeating: .max, count: bounds.count + 1),
        sum: .nanoseconds(.min)))
    #expect(absurd.sum == 0)
    var sum = absurd
    sum.add(absurd)
    sum.record(1)
    #expect(sum.counts.allSatisfy { $0 < .max } && sum.sum == 1)
  }
}
