import CProtocol
import FaceCore
import TestSupport
import Testing
import Wire

/// Messages of an engine or a client that knows more than this one.
@Suite struct OtherVersionsTests {
  /// Field 127, as a number: no message has it.
  private static let later: [UInt8] = [0xf8, 0x07, 1]
  private static let image = field(1, field(1, [1]))

  /// An engine that lacks an option does not hear of it as long as it has its default.
  @Test func optionsAtTheirDefaultsAreNotSent() {
    let start = WatchStart(
      options: DetectionOptions(), mode: .newest, tracking: TrackingOptions(), check: CheckOptions())
    let (balanced, pixels): ([UInt8], [UInt8]) = ([0x60, 2], field(1, []))
    #expect(WatchCall.payload(start) == field(1, field(1, balanced) + field(3, []) + field(4, pixels)))
  }

  @Test func aNumberOtherThanTheDefaultIsSent() throws {
    var options = DetectionOptions()
    options.maxFaces = 7
    let start = WatchStart(options: options, mode: .newest)
    #expect(WatchCall.payload(start) == field(1, field(1, [0x18, 7, 0x60, 2])))
  }

  @Test(arguments: [
    ("options.127", image + field(2, later)), ("image.127", field(1, field(1, [1]) + later)),
    ("image.region.127", field(1, field(1, [1]) + field(7, later))), ("127", image + later),
  ])
  func detectNamesAFieldOfALaterClient(path: String, request: [UInt8]) {
    expectUnknown(path) { () throws(Status) in try DetectCall.withRequest(request.span) { _, _ in } }
  }

  @Test(arguments: [("options.127", image + field(2, later)), ("127", image + later)])
  func aBatchNamesAFieldOfALaterClient(path: String, request: [UInt8]) {
    expectUnknown(path) { () throws(Status) in _ = try DetectBatchCall.request(request.span, limit: 1) }
  }

  @Test func anImageOfSeveralNamesAFieldOfALaterClient() {
    let image = field(1, [1]) + Self.later
    expectUnknown("image.127") { () throws(Status) in try MessageImage.decoding(image.span) { _ in } }
  }

  @Test(arguments: [
    ("options.127", field(1, field(1, later))), ("tracking.127", field(1, field(3, later))),
    ("check.127", field(1, field(4, later))), ("check.space.127", field(1, field(4, field(1, later)))),
    ("127", field(1, later)), ("frame.127", field(2, later)),
    ("frame.followed.127", field(2, field(6, later))),
    ("127", later),
  ])
  func aStreamNamesAFieldOfALaterClient(path: String, request: [UInt8]) {
    expectUnknown(path) { () throws(Status) in _ = try WatchCall.request(request.span) }
  }

  /// Calls of Admin change the engine.
  @Test func adminNamesAFieldOfALaterClient() {
    let reload = field(1, [121]) + Self.later
    let begin = [8, 1] + Self.later
    expectUnknown("127") { () throws(Status) in _ = try ReloadModelCall.request(reload.span) }
    expectUnknown("127") { () throws(Status) in _ = try TakeOverCall.request(begin.span) }
    expectUnknown("127") { () throws(Status) in try InfoCall.request(Self.later.span) }
    expectUnknown("127") { () throws(Status) in try StatsCall.request(Self.later.span) }
    expectUnknown("127") { () throws(Status) in try ListModelsCall.request(Self.later.span) }
    expectUnknown("127") { () throws(Status) in try DescribeCall.request(Self.later.span) }
  }

  @Test func aLaterClientMayAskForHealth() throws {
    let request = field(1, [121]) + Self.later
    #expect(try HealthCall.request(request.span) == "y")
  }

  private func expectUnknown(_ path: String, _ body: () throws(Status) -> Void) {
    let refusal = failure(of: body)
    #expect(refusal?.code == .unimplemented)
    #expect(refusal?.message.contains("does not know the field \(path) of") == true)
    #expect(refusal?.detail == .field(path))
  }

  /// An older engine has only the number; the client that sent the field has its name.
  @Test(arguments: [
    ("options.33", "options.model_revision"), ("tracking.6", "tracking.reidentify"),
    ("check.space.6", "check.space.mirrored"), ("image.8", "image.pixel_aspect"),
    ("frame.6", "frame.followed"), ("options.127", "options.127"), ("nothing.1", "nothing.1"), ("2", "2"),
  ])
  func aClientNamesWhatAnOlderEngineDoesNotKnow(path: String, name: String) throws {
    let read = try received(Status(.unimplemented, "what an engine says", .field(path)))
    #expect(read?.code == .unimplemented && read?.detail == .field(name))
    #expect(read?.message.contains(name == path ? "what an engine says" : name) == true)
  }

  @Test func otherFailuresStayAsTheyAre() throws {
    for failure in [
      Status(.invalidArgument, "wrong", .field("options.33")), Status(.unimplemented, "no such method"),
      Status(.unimplemented, "no such field", .field("options.max_side")),
    ] {
      #expect(try received(failure) == failure)
    }
  }

  private func received(_ failure: Status) throws -> Status? {
    let body = Sent.body(FailedCall.responseFrame(stream: 1, failure))
    return try ResponseEnvelope(decoding: body.span).failure
  }

  /// A client reads what it knows of an answer.
  @Test func fieldsOfALaterEngineAreIgnored() throws {
    let result = GoldenValues.smallResult
    let detected = try Sent.response(try DetectCall.responseFrame(stream: 1, result)) + Self.later
    #expect(try DetectCall.response(detected.span) == result)
    let event = FrameEvent(frame: FrameInfo(number: 1), outcome: .faces(result))
    let watched = Sent.body(try WatchCall.responseFrame(stream: 3, event)) + Self.later
    #expect(try WatchCall.response(watched.span) == event)
    let hello = HelloResponse(version: 1, engineVersion: "9", features: [.ping], limits: GoldenValues.limits)
    let greeted = try Sent.response(try HelloCall.responseFrame(stream: 1, hello)) + Self.later
    #expect(try HelloCall.response(greeted.span) == hello)
  }

  /// A message of an engine that greets does not depend on what the client knows.
  @Test func aLaterClientsHelloIsAnswered() throws {
    let hello = HelloRequest(maxVersion: 9, client: "later", features: ["ping", "teleport"])
    let payload = try Sent.request(try HelloCall.requestFrame(CallHeader(stream: 1), hello)) + Self.later
    #expect(try HelloCall.request(payload.span) == hello)
  }

  /// The states before the end of a check may become more.
  @Test func statesOfLaterEnginesAreThoseOfARunningCheck() throws {
    let report = adjusted(GoldenValues.report) { $0.events = [.status(.failed), .clear] }
    let event = FrameEvent(
      frame: FrameInfo(number: 1), outcome: .faces(GoldenValues.smallResult),
      check: adjusted(report) { $0.state = .failed })
    var body = Sent.body(try WatchCall.responseFrame(stream: 3, event))
    // CheckReport.state and CheckEvent.status are both field 1.
    for place in body.indices.dropLast() where body[place] == 0x08 && body[place + 1] == 5 {
      body[place + 1] = 99
    }
    let read = try WatchCall.response(body.span).check
    #expect(read?.state == .checking && read?.events == [.clear])
  }
}
