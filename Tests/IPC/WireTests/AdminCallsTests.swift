import CProtocol
import FaceCore
import TestSupport
import Testing
import Wire

@Suite struct AdminCallsTests {
  private let nothing: [UInt8] = []
  private let later: [UInt8] = [0x08, 77]
  private let noText: [UInt8] = [0x0a, 2, 0xc3, 0x28]
  private let half: [UInt8] = [0x0a]

  private func payload(_ frame: [UInt8]) throws -> [UInt8] {
    let body = Array(frame.dropFirst(10))
    return Array(body[try ResponseEnvelope(decoding: body.span).payload])
  }

  @Test(arguments: ServingStatus.allCases)
  func healthRoundTrips(status: ServingStatus) throws {
    let payload = try payload(try HealthCall.responseFrame(stream: 9, status))
    let received = try HealthCall.response(payload.span)
    #expect(received == status)
  }

  @Test func healthOfALaterVersionIsUnknown() throws {
    #expect(try HealthCall.response(later.span) == .unknown)
  }

  @Test func serviceNameMustBeText() {
    #expect(throws: Status.self) { try HealthCall.request(noText.span) }
    #expect(throws: Never.self) { try HealthCall.request(nothing.span) }
  }

  @Test func infoRoundTrips() throws {
    var limits = EngineLimits.unknown
    (limits.maxMessageBytes, limits.callsPerConnection, limits.connectionsPerUser) = (4 << 20, 16, 32)
    (limits.minImageSide, limits.maxImageSide, limits.drainTimeout) = (16, 8192, 7)
    let info = EngineInfo(
      version: "1.2.3", protocolVersion: 1,
      models: [
        ModelInfo(name: "yunet", family: "yunet", licence: "MIT", role: "landmarks", engine: "ncnn"),
        ModelInfo(name: "", family: "é", licence: ""),
      ],
      limits: limits,
      features: ["a", "b"], sandbox: ["privileges", "files"], hasReleasedModels: true)
    let payload = try payload(try InfoCall.responseFrame(stream: 9, info))
    let received = try InfoCall.response(payload.span)
    #expect(received == info)
  }

  @Test func emptyInfoIsTaken() throws {
    let info = try InfoCall.response(nothing.span)
    #expect(info.models.isEmpty)
    #expect(info.limits.maxMessageBytes == 0)
  }

  @Test func infoRequestIsChecked() {
    #expect(throws: Never.self) { try InfoCall.request(nothing.span) }
    #expect(throws: Status.self) { try InfoCall.request(half.span) }
  }

  @Test func statsRoundTrip() throws {
    var time = DurationSummary()
    (time.count, time.p50, time.p90, time.p99, time.max) = (10, 1, 2, 3, .max)
    var buckets = DurationBuckets()
    for duration in [1, 50_000, 70_000_000, 3_600_000_000_000] as [TimeSpan] { buckets.record(duration) }
    // As from another version of the engine.
    let other = try #require(DurationBuckets(bounds: [10, .max], counts: [0, 300, 1], sum: .max))
    var stats = EngineStats()
    (stats.uptime, stats.connections, stats.connectionsTotal, stats.connectionsRefused) = (1, 2, 3, 4)
    (stats.peersDropped, stats.receivedBytes, stats.sentBytes) = (5, 6, 7)
    (stats.mappedBytes, stats.framesDropped) = (8, 9)
    (stats.decoders.busy, stats.decoders.killed, stats.decoders.lost) = (10, 11, 12)
    stats.abandonedDecodings = 13
    stats.methods = [
      MethodStats(
        method: "a/b", calls: 12, failures: [.internal: 1, .unavailable: 2], queueTime: time,
        runTime: DurationSummary(), ends: [.ok: 7, .cancelled: 9], queueBuckets: buckets, runBuckets: other),
      MethodStats(
        method: "", calls: 0, failures: [:], queueTime: DurationSummary(), runTime: time,
        runBuckets: DurationBuckets()),
    ]
    let payload = try payload(try StatsCall.responseFrame(stream: 9, stats))
    let received = try StatsCall.response(payload.span)
    #expect(received == stats)
    #expect(try StatsCall.response(nothing.span) == EngineStats())
    #expect(throws: Status.self) { try StatsCall.request(half.span) }
  }

  /// An engine of an earlier version sends none; of a later one they may be something else.
  @Test func bucketsThatCannotBeReadAreAbsent() throws {
    func message(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
      [number << 3 | 2, UInt8(bytes.count)] + bytes
    }
    /// The buckets that are read from StatsResponse.methods[0].queue_time with the fields in `bytes`.
    func read(_ bytes: [UInt8]) throws -> (count: Int?, buckets: DurationBuckets?) {
      let method = try StatsCall.response(message(10, message(4, bytes)).span).methods.first
      return (method?.queueTime.count, method?.queueBuckets)
    }
    let count: [UInt8] = [0x08, 3]
    let old = try read(count)
    #expect(old.count == 3 && old.buckets == nil)
    let good = try read(count + message(6, message(1, [5, 9]) + message(2, [1, 2, 0]) + [0x18, 70]))
    #expect(good.count == 3 && good.buckets == DurationBuckets(bounds: [5, 9], counts: [1, 2, 0], sum: 70))
    for fields in [[], message(1, [5, 9]), message(1, [5, 9]) + message(2, [1, 2])] as [[UInt8]] {
      let bad = try read(count + message(6, fields))
      #expect(bad.count == 3 && bad.buckets == nil)
    }
    let descending = try read(count + message(6, message(1, [9, 5]) + message(2, [1, 2, 0])))
    #expect(descending.count == 3 && descending.buckets == nil)
  }

  @Test func modelListRoundTrips() throws {
    let model = ModelInfo(name: "yunet", family: "é", licence: "MIT", role: "é", engine: "x")
    let models = [
      ListedModel(model, title: "A title", isLoaded: true),
      ListedModel(ModelInfo(name: "", family: "", licence: ""), title: "", isLoaded: false),
    ]
    let payload = try payload(try ListModelsCall.responseFrame(stream: 9, models))
    let received = try ListModelsCall.response(payload.span)
    #expect(received == models)
    let reloaded = try self.payload(try ReloadModelCall.responseFrame(stream: 9, [model, model]))
    #expect(try ReloadModelCall.response(reloaded.span) == [model, model])
    #expect(throws: Status.self) { try ReloadModelCall.request(noText.span) }
    #expect(throws: Status.self) { try ListModelsCall.request(half.span) }
    #expect(throws: Status.self) { try DescribeCall.request(half.span) }
  }

  @Test(arguments: Method.allCases)
  func methodsAreFoundByName(method: Method) throws {
    #expect(try Method(service: "\(method.service)", name: "\(method.name)") == method)
  }

  @Test func unknownMethodIsRefusedWithTheExistingOnes() {
    let method = #expect(throws: Status.self) { try Method(service: "faceengine.v1.Detector", name: "Nope") }
    #expect(method?.code == .unimplemented)
    #expect(method?.message.contains("Detect") == true)
    let service = #expect(throws: Status.self) { try Method(service: "nope", name: "Detect") }
    #expect(service?.code == .unimplemented)
    #expect(service?.message.contains("faceengine.v1.Health") == true)
  }
}
