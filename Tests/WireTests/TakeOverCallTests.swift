import FaceCore
import Testing
import Wire

@Suite struct TakeOverCallTests {
  private static func counters(of frame: [UInt8]) throws -> EngineCounters {
    let body = Array(frame.dropFirst(10))
    let payload = Array(body[try ResponseEnvelope(decoding: body.span).payload])
    let response = try TakeOverCall.response(payload.span)
    #expect(response.ownsSocketFile)
    return response.counters
  }

  @Test func countersArriveAsTheyWere() throws {
    var method = MethodCounters()
    method.calls = 3
    method.failures = [.invalidArgument: 1]
    method.ends = [.ok: 2]
    for duration in [5, 700, 12_345_678_901] as [Int64] { method.queueTime.record(duration) }
    var counters = EngineCounters()
    counters.uptime = 1
    counters.connectionsTotal = 2
    counters.connectionsRefused = 3
    counters.peersDropped = 4
    counters.receivedBytes = 5
    counters.sentBytes = 6
    counters.framesDropped = 7
    counters.modelReleases = 8
    counters.nextConnection = 9
    counters.methods = ["of/another/version": method, "faceengine.v1.Detector/Detect": MethodCounters()]
    let frame = try TakeOverCall.responseFrame(stream: 3, .init(ownsSocketFile: true, counters: counters))
    let received = try Self.counters(of: frame)
    #expect(received.uptime == 1 && received.nextConnection == 9)
    #expect(
      [
        received.connectionsTotal, received.connectionsRefused, received.peersDropped, received.receivedBytes,
        received.sentBytes, received.framesDropped, received.modelReleases,
      ] == [2, 3, 4, 5, 6, 7, 8])
    #expect(received.methods.keys.sorted() == counters.methods.keys.sorted())
    #expect(received.methods["of/another/version"]?.stats(of: "a") == method.stats(of: "a"))
  }

  /// Numbers that no engine has counted end nothing.
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
