import FaceCore
import Foundation
import TestSupport
import Testing
import Wire

/// One kind of frame with fixed values: how it is encoded, and what it must decode to.
struct GoldenMessage: Sendable, CustomTestStringConvertible {
  /// The name of its file in Tests/Fixtures/wire, without the extension.
  let name: String
  /// The whole frame; `nil` if our coders cannot have the values.
  let encode: (@Sendable () throws -> [UInt8])?
  /// Decodes a frame's header and data, and records an issue for each value that differs.
  let verify: @Sendable (FrameHeader, [UInt8]) throws -> Void

  var testDescription: String { name }

  static let folder = URL(filePath: Fixture.repository).appending(path: "Tests/Fixtures/wire")

  var file: URL { Self.folder.appending(path: "\(name).bin") }

  // MARK: Kinds of frames

  /// A call of `method` on stream 5, with 2.5 seconds to answer unless it is a stream.
  static func request<Value: Equatable & Sendable>(
    _ name: String, _ method: Method, _ value: Value, flags: FrameFlags = [],
    timeout: TimeSpan = .milliseconds(2500),
    encode: @escaping @Sendable (CallHeader, Value) throws -> [UInt8],
    decode: @escaping @Sendable (Span<UInt8>) throws -> Value
  ) -> GoldenMessage {
    GoldenMessage(name: "request-\(name)") {
      try encode(CallHeader(stream: 5, timeout: timeout), value)
    } verify: { header, body in
      expect(header, .request, flags)
      let envelope = try RequestEnvelope(decoding: body.span)
      #expect(envelope.service == "\(method.service)")
      #expect(envelope.method == "\(method.name)")
      #expect(envelope.timeout == timeout)
      let decoded = try decode(body.span.extracting(envelope.payload))
      #expect(decoded == value)
    }
  }

  static func request<Call: UnaryCall>(
    _ name: String, _ call: Call.Type, _ value: Call.Request
  ) -> GoldenMessage where Call.Request: Equatable & Sendable {
    request(name, call.coding.method, value) {
      try Call.requestFrame($0, $1)
    } decode: {
      try Call.request($0)
    }
  }

  /// A request without fields.
  static func request<Call: UnaryCall>(
    _ name: String, _ call: Call.Type
  ) -> GoldenMessage where Call.Request == Void {
    request(name, call.coding.method, GoldenMessages.Nothing()) { header, _ in
      try Call.requestFrame(header)
    } decode: {
      try Call.request($0)
      return try GoldenMessages.Nothing($0)
    }
  }

  static func response<Call: UnaryCall>(
    _ name: String, _: Call.Type, _ value: Call.Response
  ) -> GoldenMessage where Call.Response: Equatable & Sendable {
    response(name, value) {
      try Call.responseFrame(stream: 5, $0)
    } decode: {
      try Call.response($0)
    }
  }

  /// A response to the call of stream 5.
  static func response<Value: Equatable & Sendable>(
    _ name: String, _ value: Value, encode: (@Sendable (Value) throws -> [UInt8])?,
    decode: @escaping @Sendable (Span<UInt8>) throws -> Value
  ) -> GoldenMessage {
    var frame: (@Sendable () throws -> [UInt8])?
    if let encode { frame = { try encode(value) } }
    return GoldenMessage(name: "response-\(name)", encode: frame) { header, body in
      expect(header, .response)
      let envelope = try ResponseEnvelope(decoding: body.span)
      #expect(envelope.failure == nil)
      let decoded = try decode(body.span.extracting(envelope.payload))
      #expect(decoded == value)
    }
  }

  /// A response to a call that failed with `status`.
  static func failure(_ name: String, _ status: Status) -> GoldenMessage {
    GoldenMessage(name: "response-\(name)") {
      FailedCall.responseFrame(stream: 5, status)
    } verify: { header, body in
      expect(header, .response)
      let envelope = try ResponseEnvelope(decoding: body.span)
      #expect(envelope.failure == status)
      #expect(envelope.payload.isEmpty)
    }
  }

  /// A message of stream 5.
  static func data<Value: Equatable & Sendable>(
    _ name: String, _ value: Value, encode: (@Sendable (Value) throws -> [UInt8])?,
    decode: @escaping @Sendable (Span<UInt8>) throws -> Value
  ) -> GoldenMessage {
    var frame: (@Sendable () throws -> [UInt8])?
    if let encode { frame = { try encode(value) } }
    return GoldenMessage(name: "data-\(name)", encode: frame) { header, body in
      expect(header, .data)
      let decoded = try decode(body.span)
      #expect(decoded == value)
    }
  }

  /// A frame of stream 5 that has no data.
  static func empty(
    _ name: String, _ type: FrameType, flags: FrameFlags = [], _ encode: @escaping @Sendable () -> [UInt8]
  ) -> GoldenMessage {
    GoldenMessage(name: name, encode: encode) { header, body in
      expect(header, type, flags)
      #expect(body.isEmpty)
    }
  }

  static func fromClient(_ name: String, _ value: ControlFromClient) -> GoldenMessage {
    GoldenMessage(name: "control-client-\(name)") {
      value.frame
    } verify: { header, body in
      let type = try #require(FrameType(rawValue: header.type))
      #expect(try ControlFromClient(type, stream: header.stream, body.span) == value)
      #expect(header.flags == [])
    }
  }

  static func fromEngine(_ name: String, _ value: ControlFromEngine) -> GoldenMessage {
    GoldenMessage(name: "control-engine-\(name)") {
      value.frame
    } verify: { header, body in
      let type = try #require(FrameType(rawValue: header.type))
      #expect(try ControlFromEngine(type, stream: header.stream, body.span) == value)
      #expect(header.flags == [])
    }
  }

  private static func expect(_ header: FrameHeader, _ type: FrameType, _ flags: FrameFlags = []) {
    #expect(header.stream == 5)
    #expect(header.type == type.rawValue)
    #expect(header.flags == flags)
  }
}
