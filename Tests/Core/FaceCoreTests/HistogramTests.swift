import FaceCore
import TestSupport
import Testing

@Suite struct HistogramTests {
  /// The percentile of all values by sorting them: the nearest rank.
  private func reference(_ values: [TimeSpan], _ percent: Int) -> TimeSpan {
    let sorted = values.sorted()
    let rank = (Double(values.count) * Double(percent) / 100).rounded(.up)
    return sorted[max(1, Int(rank)) - 1]
  }

  private func expectAgreement(_ numbers: [Int64]) {
    let values = numbers.map { TimeSpan(nanoseconds: $0) }
    var histogram = Histogram()
    for value in values { histogram.record(value) }
    for percent in [0, 1, 10, 50, 90, 99, 100] {
      let exact = reference(values, percent)
      let error = abs((histogram.percentile(percent) - exact).nanoseconds)
      #expect(
        error * 32 <= exact.nanoseconds, "p\(percent) is \(histogram.percentile(percent)), exactly \(exact)")
    }
    #expect(histogram.summary.max == values.max())
    #expect(histogram.summary.count == values.count)
  }

  @Test func percentilesAgreeWithSorting() {
    var random = SeededGenerator(seed: 6)
    for bits in 1...63 {
      let limit = Int64.max >> Int64(63 - bits)
      expectAgreement((0..<200).map { _ in Int64.random(in: 0...limit, using: &random) })
    }
    // Distributed as durations are: each bit length is as likely as the next.
    expectAgreement(
      (0..<5000).map { _ in
        Int64.random(in: 0...(.max >> Int64.random(in: 0...62, using: &random)), using: &random)
      })
  }

  @Test func percentilesAtBucketEdgesAgreeWithSorting() {
    for power in 0..<63 {
      let value = Int64(1) << Int64(power)
      for edge in [value - 1, value, value + 1] { expectAgreement([edge]) }
    }
    expectAgreement([.max])
    expectAgreement([0])
    expectAgreement((0..<64).map { $0 })
  }

  @Test func emptyAndNegativeAreZero() {
    var histogram = Histogram()
    #expect(histogram.summary.count == 0 && histogram.summary.p99 == 0 && histogram.summary.max == 0)
    histogram.record(-5)
    #expect(histogram.summary.count == 1 && histogram.summary.max == 0)
  }
}
