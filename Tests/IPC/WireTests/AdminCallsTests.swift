import FaceCore
import TestSupport
import Testing
import Wire

@Suite struct AdminCallsTests {
  private let nothing: [UInt8] = []
  private let noText: [UInt8] = [0x0a, 2, 0xc3, 0x28]
  private let half: [UInt8] = [0x0a]

  @Test func healthOfALaterVersionIsUnknown() throws {
    for status in ServingStatus.allCases {
      let payload = try Sent.response(try HealthCall.responseFrame(stream: 9, status))
      #expect(try HealthCall.response(payload.span) == status)
    }
    let later: [UInt8] = [0x08, 77]
    #expect(try HealthCall.response(later.span) == .unknown)
  }

  @Test func emptyMessagesHaveDefaults() throws {
    #expect(throws: Never.self) { try HealthCall.request(nothing.span) }
    #expect(throws: Never.self) { try InfoCall.request(nothing.span) }
    let info = try InfoCall.response(nothing.span)
    #expect(info.models.isEmpty && info.limits.maxMessageBytes == 0)
    #expect(try StatsCall.response(nothing.span) == EngineStats())
  }

  @Test func requestsAreChecked() {
    #expect(throws: Status.self) { try HealthCall.request(noText.span) }
    #expect(throws: Status.self) { try ReloadModelCall.request(noText.span) }
    #expect(throws: Status.self) { try InfoCall.request(half.span) }
    #expect(throws: Status.self) { try StatsCall.request(half.span) }
    #expect(throws: Status.self) { try ListModelsCall.request(half.span) }
    #expect(throws: Status.self) { try DescribeCall.request(half.span) }
    let step: [UInt8] = [8, 7]
    expectFailure(.invalidArgument) { try TakeOverCall.request(step.span) }
  }

  /// An engine of an earlier version sends none; of a later one they may be something else.
  @Test func bucketsThatCannotBeReadAreAbsent() throws {
    let count: [UInt8] = [0x08, 3]
    let good = field(6, field(1, [5, 9]) + field(2, [1, 2, 0]) + [0x18, 70])
    for (fields, buckets) in [
      ([], nil), (good, DurationBuckets(bounds: [5, 9], counts: [1, 2, 0], sum: 70)),
      (field(6, []), nil), (field(6, field(1, [5, 9])), nil),
      (field(6, field(1, [5, 9]) + field(2, [1, 2])), nil),
      (field(6, field(1, [9, 5]) + field(2, [1, 2, 0])), nil),
    ] as [([UInt8], DurationBuckets?)] {
      // StatsResponse.methods[0].queue_time
      let response = field(10, field(4, count + fields))
      let method = try #require(try StatsCall.response(response.span).methods.first)
      #expect(method.queueTime.count == 3 && method.queueBuckets == buckets)
    }
  }

  @Test(arguments: Method.allCases)
  func methodsAreFoundByName(method: Method) throws {
    #expect(try Method(service: "\(method.service)", name: "\(method.name)") == method)
  }

  @Test func unknownMethodIsRefusedWithTheExistingOnes() {
    expectFailure(.unimplemented, "Detect") { try Method(service: "faceengine.v1.Detector", name: "Nope") }
    expectFailure(.unimplemented, "faceengine.v1.Health") { try Method(service: "nope", name: "Detect") }
  }

  /// The set is that of the compiler for .proto files: each name is a field 1 in it, as its descriptor.proto has them.
  @Test func descriptorSetNamesEveryMethodThatExists() throws {
    let payload = try Sent.response(try DescribeCall.responseFrame(stream: 1))
    let set = try DescribeCall.response(payload.span)
    #expect(set.firstRange(of: field(2, "faceengine.v1".utf8)) != nil)
    let names = ["face_engine.proto"] + Method.allCases.map { "\($0.name)" }
    let services = Method.allCases.compactMap { "\($0.service)".split(separator: ".").last.map(String.init) }
    for name in names + services { #expect(set.firstRange(of: field(1, name.utf8)) != nil, "\(name)") }
  }

  // MARK: Counters that an engine takes over

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
    let answer = TakeOverCall.Response(ownsSocketFile: true, counters: counters)
    let payload = try Sent.response(try TakeOverCall.responseFrame(stream: 9, answer))
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
    // TakeOverResponse.counters.methods[0].queue_time.counts
    let response = field(2, field(10, field(4, field(1, [0, 0, 0, 2]))))
    let method = try #require(try TakeOverCall.response(response.span).counters.methods[""])
    #expect(method.queueTime.count == 2)
    #expect(method.queueBuckets == DurationBuckets())
  }
}
