import FaceCore
import TestSupport
import Testing
import Wire

@Suite struct TakeOverCallTests {
  /// Counts that no engine can have reached must not trap.
  @Test func absurdCountersAreBounded() {
    let absurd = Histogram(counts: [UInt64](repeating: .max, count: 5000), longest: .nanoseconds(.min))
    var sum = absurd
    sum.add(absurd)
    #expect(sum.count == 2 * absurd.count && sum.summary.p99 >= 0)
  }

  /// An engine that takes over from one with other bounds, or with none, begins to count in buckets anew.
  @Test func durationsOfOtherBoundsAreNotInherited() throws {
    var old = MethodCounters()
    old.recordQueueTime(70_000)
    old.queueBuckets = try #require(DurationBuckets(bounds: [10], counts: [0, 1], sum: 70_000))
    var counters = EngineCounters()
    counters.methods = ["a/b": old]
    let frame = try TakeOverCall.responseFrame(
      stream: 9, TakeOverCall.Response(ownsSocketFile: true, counters: counters))
    let body = Array(frame.dropFirst(FrameHeader.size))
    let payload = Array(body[try ResponseEnvelope(decoding: body.span).payload])
    let inherited = try TakeOverCall.response(payload.span).counters
    #expect(inherited == counters)

    var new = MethodCounters()
    new.recordQueueTime(3)
    counters.methods = ["a/b": new]
    counters.add(inherited)
    let sum = try #require(counters.methods["a/b"])
    #expect(sum.queueTime.count == 2)
    #expect(sum.queueBuckets == new.queueBuckets && sum.queueBuckets.sum == 3)
  }

  @Test func countersOfAnEngineWithoutBucketsAreTaken() throws {
    func message(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
      [number << 3 | 2, UInt8(bytes.count)] + bytes
    }
    // TakeOverResponse.counters.methods[0].queue_time.counts
    let response = message(2, message(10, message(4, message(1, [0, 0, 0, 2]))))
    let method = try #require(try TakeOverCall.response(response.span).counters.methods[""])
    #expect(method.queueTime.count == 2)
    #expect(method.queueBuckets == DurationBuckets())
  }

  @Test func wrongStepsAreRefused() {
    let payload: [UInt8] = [8, 7]
    let status = #expect(throws: Status.self) { try TakeOverCall.request(payload.span) }
    #expect(status?.code == .invalidArgument)
  }
}
