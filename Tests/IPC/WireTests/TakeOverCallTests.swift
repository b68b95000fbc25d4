import FaceCore
import Testing
import Wire

@Suite struct TakeOverCallTests {
  /// Counts that no engine can have reached must not trap.
  @Test func absurdCountersAreBounded() {
    let absurd = Histogram(counts: [UInt64](repeating: .max, count: 5000), longest: .min)
    var sum = absurd
    sum.add(absurd)
    #expect(sum.count == 2 * absurd.count && sum.summary.p99 >= 0)
  }

  @Test func wrongStepsAreRefused() {
    let payload: [UInt8] = [8, 7]
    let status = #expect(throws: Status.self) { try TakeOverCall.request(payload.span) }
    #expect(status?.code == .invalidArgument)
  }
}
