import FaceCore
import Testing
import Wire

@Suite struct EnvelopeTests {
  @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 100_000], [0, 1, -5, .max, .min] as [Int64])
  func readsWhatTheReferenceWrites(size: Int, timeout: Int64) throws {
    let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let bytes = Reference.request(
      service: "faceengine.v1.Detector", method: "Détect", payload: payload, timeout: timeout,
      metadata: [("key", "value"), ("", "")])
    let envelope = try RequestEnvelope(decoding: bytes.span)
    #expect(envelope.service == "faceengine.v1.Detector")
    #expect(envelope.method == "Détect")
    #expect(envelope.timeout.nanoseconds == timeout)
    #expect(Array(bytes[envelope.payload]) == payload)
  }

  @Test func traceIsReadFromTheMetadata() throws {
    func trace(_ metadata: [(String, String)]) throws -> RequestTrace {
      let bytes = Reference.request(service: "s", method: "m", payload: [], timeout: 0, metadata: metadata)
      return try RequestEnvelope(decoding: bytes.span).trace
    }
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    let both = try trace([
      ("other", "x"), ("traceparent", parent), ("traceparent", "second"), ("x-request-id", "r-1"),
    ])
    #expect(both.parent == parent && both.requestID == "r-1")
    #expect(try trace([("request-id", "r-2")]).requestID == "r-2")
    // Texts that could not stand in a log, or are long, are left out.
    for value in ["", "a b", "a\nb", "é", "\u{7F}", String(repeating: "x", count: 129)] {
      #expect(try trace([("traceparent", value), ("request-id", value)]).isEmpty)
    }
    #expect(try trace([]).isEmpty)
    // Entries that are not pairs of texts are ignored, as metadata always was.
    let odd: [UInt8] = [0x2A, 2, 0x0A, 9, 0x2A, 1, 0xFF]
    #expect(try RequestEnvelope(decoding: odd.span).trace.isEmpty)
  }

  @Test func errorDetailsReturnTheTrace() throws {
    let request = Reference.request(
      service: "s", method: "m", payload: [], timeout: 0,
      metadata: [("traceparent", "00-aa-bb-01"), ("x-request-id", "r-1")])
    let trace = try RequestEnvelope(decoding: request.span).trace
    let status = Status(.invalidArgument, "send an image", .field("image"))
    let body = Array(
      FailedCall.responseFrame(stream: 1, status, trace: trace).dropFirst(FrameHeader.size))
    // Readers that do not know the second detail find the first.
    #expect(try ResponseEnvelope(decoding: body.span).failure == status)
    let details = try #require(Reference.details(ofResponse: body))
    #expect(
      details.map(\.type)
        == ["google.rpc.BadRequest", "google.rpc.RequestInfo"].map { "type.googleapis.com/\($0)" })
    #expect(details.last?.value == [0x0A, 3] + Array("r-1".utf8))
  }

  @Test(arguments: [0, 1, 127, 128, 16_384, 100_000])
  func readsTheReferencesResponse(size: Int) throws {
    let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    let good = Reference.response(status: nil, payload: payload)
    let envelope = try ResponseEnvelope(decoding: good.span)
    #expect(envelope.failure == nil)
    #expect(Array(good[envelope.payload]) == payload)
    let status = Status(.notFound, String(repeating: "ä", count: size / 100))
    let bad = Reference.response(status: status, payload: payload)
    #expect(try ResponseEnvelope(decoding: bad.span).failure == status)
  }

  @Test(arguments: [
    (StatusDetail.field("image"), "google.rpc.BadRequest"),
    (.field(String(repeating: "x", count: 200)), "google.rpc.BadRequest"),
    (.limit("image"), "google.rpc.QuotaFailure"), (.limit(""), "google.rpc.QuotaFailure"),
  ])
  func detailsAreThoseOfTheReference(detail: StatusDetail, type: String) throws {
    let status = Status(.invalidArgument, "send an image", detail)
    let body = Array(FailedCall.responseFrame(stream: 1, status).dropFirst(FrameHeader.size))
    #expect(try ResponseEnvelope(decoding: body.span).failure == status)
    let details = try #require(Reference.details(ofResponse: body))
    #expect(details.map(\.type) == ["type.googleapis.com/\(type)"])
    // The bytes are those of PROTOCOL.md.
    if case .field("image") = detail {
      #expect(details[0].value == [0x0a, 7, 0x0a, 5] + Array("image".utf8))
    }
    // Each missing byte is noticed, or leaves a complete message.
    for count in 0..<body.count { _ = try? ResponseEnvelope(decoding: body.span.extracting(first: count)) }
  }

  @Test func detailsOfOtherKindsArePassedOver() throws {
    // Status{code 3, details [Any{"x", [0xff]}, Any{BadRequest, field "a"}]}
    let type = Array("type.googleapis.com/google.rpc.BadRequest".utf8)
    let known: [UInt8] = [0x0a, UInt8(type.count)] + type + [0x12, 5, 0x0a, 3, 0x0a, 1, 0x61]
    let other: [UInt8] = [0x0a, 1, 0x78, 0x12, 1, 0xff]
    let status = [0x08, 3, 0x1a, UInt8(other.count)] + other + [0x1a, UInt8(known.count)] + known
    let body = [0x0a, UInt8(status.count)] + status
    #expect(try ResponseEnvelope(decoding: body.span).failure?.detail == .field("a"))
  }

  @Test func writesRequestsAsTheReferenceDoes() throws {
    for timeout in [0, 1, -1, 1_000_000_007, .max] as [Int64] {
      let frame = try HealthCall.requestFrame(CallHeader(stream: 5, timeout: .nanoseconds(timeout)), "x")
      let payload: [UInt8] = [0x0a, 1, 0x78]
      let body = Reference.request(
        service: "faceengine.v1.Health", method: "Check", payload: payload, timeout: timeout)
      #expect(Array(frame.dropFirst(10)) == body)
      #expect(Array(frame.prefix(10)) == [0, 0, 0, UInt8(body.count), 0, 0, 0, 5, 1, 0])
    }
  }

  @Test(arguments: StatusCode.allCases.filter { $0 != .ok })
  func writesFailuresAsTheReferenceDoes(code: StatusCode) throws {
    for message in ["", "do this", String(repeating: "long ", count: 200)] {
      let status = Status(code, message)
      let frame = FailedCall.responseFrame(stream: 3, status)
      #expect(Array(frame.dropFirst(10)) == Reference.response(status: status, payload: []))
      #expect(try ResponseEnvelope(decoding: frame.span.extracting(10..<frame.count)).failure == status)
    }
  }

  @Test func longSentencesAreCut() throws {
    let frame = FailedCall.responseFrame(stream: 3, Status(.internal, String(repeating: "é", count: 10_000)))
    let failure = try ResponseEnvelope(decoding: frame.span.extracting(10..<frame.count)).failure
    #expect(failure?.message.utf8.count == 4096)
  }

  @Test func unknownCodesBecomeUnknown() throws {
    let bytes: [UInt8] = [0x0a, 2, 0x08, 99]
    #expect(try ResponseEnvelope(decoding: bytes.span).failure?.code == .unknown)
    let ok: [UInt8] = [0x0a, 2, 0x08, 0]
    #expect(try ResponseEnvelope(decoding: ok.span).failure == nil)
  }

  @Test(
    arguments: [
      [0x0a],  // no length
      [0x0a, 5, 1],  // fewer bytes than the length
      [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],  // a length near 2^63
      [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],  // and near 2^64
      [0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],  // a number of 65 bits
      [0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],  // a number of 11 bytes
      [0x20],  // no number
      [0x00, 0x00],  // field 0
      [0x0b],  // a group begins
      [0x0c],  // a group ends
      [0x0e],  // wire type 6
      [0x31, 1, 2, 3],  // half a fixed64
      [0x35, 1],  // half a fixed32
      [0x08, 1],  // the service as a number
      [0x1d, 1, 2, 3, 4],  // the payload as a fixed32
      [0x0a, 2, 0xc3, 0x28],  // a service that is not UTF-8
    ] as [[UInt8]])
  func refusesMalformedRequests(bytes: [UInt8]) {
    #expect(throws: Status.self) { try RequestEnvelope(decoding: bytes.span) }
    #expect(throws: Never.self) { _ = try? ResponseEnvelope(decoding: bytes.span) }
  }

  @Test func refusesTooLongNames() throws {
    let long = Reference.request(
      service: String(repeating: "a", count: 300), method: "", payload: [], timeout: 0)
    #expect(throws: Status.self) { try RequestEnvelope(decoding: long.span) }
  }

  @Test func skipsFieldsOfLaterVersions() throws {
    let bytes: [UInt8] = [0x78, 1, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7d, 1, 2, 3, 4, 0x7a, 1, 9, 0x1a, 1, 42]
    let envelope = try RequestEnvelope(decoding: bytes.span)
    #expect(bytes[envelope.payload] == [42])
  }

  @Test func lastOfARepeatedFieldWins() throws {
    let bytes: [UInt8] = [0x1a, 1, 1, 0x12, 1, 0x61, 0x1a, 2, 7, 8, 0x12, 1, 0x62]
    let envelope = try RequestEnvelope(decoding: bytes.span)
    #expect(bytes[envelope.payload] == [7, 8])
    #expect(envelope.method == "b")
  }
}
