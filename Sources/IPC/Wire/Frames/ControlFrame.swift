public import FaceCore

/// A frame beyond plain ttrpc from a client; see PROTOCOL.md, "Frames".
public enum ControlFromClient: Equatable, Sendable {
  /// Cancels the call or stream with that number.
  case cancel(stream: UInt32)
  case ping(UInt64)
  case pong(UInt64)
  /// Registers memory of `size` bytes, whose descriptor comes with the frame, under that number.
  case register(buffer: UInt32, size: UInt64)
  case unregister(buffer: UInt32)

  /// Throws `invalidArgument` for a type that no client sends, or wrong data.
  /// - Parameter type: the frame's type, known to be a control frame.
  public init(_ type: FrameType, stream: UInt32, _ body: Span<UInt8>) throws(Status) {
    var reader = ControlReader(type)
    switch type {
    case .cancel: self = .cancel(stream: stream)
    case .ping: self = .ping(try reader.long(body))
    case .pong: self = .pong(try reader.long(body))
    case .bufferOffer:
      let buffer = try reader.word(body)
      let size = try reader.long(body)
      self = size == 0 ? .unregister(buffer: buffer) : .register(buffer: buffer, size: size)
    case .request, .response, .data, .goAway, .credit:
      throw Status(
        .invalidArgument, "a client sends no frame of type \(type.rawValue); leave it to the engine")
    }
    try reader.end(body)
    if type != .cancel, stream != 0 { throw reader.wrong("has the stream \(stream), not 0") }
  }

  /// The whole frame.
  public var frame: [UInt8] {
    switch self {
    case .cancel(let stream): ControlWriter.frame(.cancel, stream: stream, length: 0) { _ in }
    case .ping(let value): ControlWriter.frame(.ping, length: 8) { FrameHeader.bigEndian(value, to: &$0) }
    case .pong(let value): ControlWriter.frame(.pong, length: 8) { FrameHeader.bigEndian(value, to: &$0) }
    case .register(let buffer, let size): Self.bufferFrame(buffer, size)
    case .unregister(let buffer): Self.bufferFrame(buffer, 0)
    }
  }

  private static func bufferFrame(_ buffer: UInt32, _ size: UInt64) -> [UInt8] {
    ControlWriter.frame(.bufferOffer, length: 12) { output in
      FrameHeader.bigEndian(buffer, to: &output)
      FrameHeader.bigEndian(size, to: &output)
    }
  }
}

/// A frame beyond plain ttrpc from the engine; see PROTOCOL.md, "Frames".
public enum ControlFromEngine: Equatable, Sendable {
  /// The engine is stopping; calls with higher numbers than this are not served.
  case goAway(lastStream: UInt32)
  case ping(UInt64)
  case pong(UInt64)
  /// Allows so many more unanswered frames on the stream.
  case credit(stream: UInt32, frames: UInt32)
  /// Answers a `register` or `unregister`; the failure is `nil` on success.
  case registration(buffer: UInt32, failure: Status?)

  /// Throws `invalidArgument` for a type that no engine sends, or wrong data.
  /// - Parameter type: the frame's type, known to be a control frame.
  public init(_ type: FrameType, stream: UInt32, _ body: Span<UInt8>) throws(Status) {
    var reader = ControlReader(type)
    switch type {
    case .goAway: self = .goAway(lastStream: try reader.word(body))
    case .ping: self = .ping(try reader.long(body))
    case .pong: self = .pong(try reader.long(body))
    case .credit: self = .credit(stream: stream, frames: try reader.word(body))
    case .bufferOffer:
      let buffer = try reader.word(body)
      let code = Int32(bitPattern: try reader.word(body))
      let text = reader.text(body)
      let failure = code == 0 ? nil : Status(StatusCode(rawValue: code) ?? .unknown, text)
      self = .registration(buffer: buffer, failure: failure)
    case .request, .response, .data, .cancel:
      throw Status(.invalidArgument, "an engine sends no frame of type \(type.rawValue)")
    }
    try reader.end(body)
    if type != .credit, stream != 0 { throw reader.wrong("has the stream \(stream), not 0") }
  }

  /// The whole frame; messages beyond 4 KiB are truncated.
  public var frame: [UInt8] {
    switch self {
    case .goAway(let last): ControlWriter.frame(.goAway, length: 4) { FrameHeader.bigEndian(last, to: &$0) }
    case .ping(let value): ControlWriter.frame(.ping, length: 8) { FrameHeader.bigEndian(value, to: &$0) }
    case .pong(let value): ControlWriter.frame(.pong, length: 8) { FrameHeader.bigEndian(value, to: &$0) }
    case .credit(let stream, let frames):
      ControlWriter.frame(.credit, stream: stream, length: 4) { FrameHeader.bigEndian(frames, to: &$0) }
    case .registration(let buffer, let failure):
      Self.registrationFrame(buffer, failure?.code ?? .ok, FailedCall.sentence(failure?.message ?? ""))
    }
  }

  private static func registrationFrame(_ buffer: UInt32, _ code: StatusCode, _ text: String) -> [UInt8] {
    ControlWriter.frame(.bufferOffer, length: 8 + text.utf8.count) { output in
      FrameHeader.bigEndian(buffer, to: &output)
      FrameHeader.bigEndian(UInt32(bitPattern: code.rawValue), to: &output)
      for byte in text.utf8 { output.append(byte) }
    }
  }
}

/// Reads the numbers of a control frame's data: big-endian, without gaps, with nothing after the last.
///
/// Every call must be given the same bytes.
private struct ControlReader {
  private let type: FrameType
  private var offset = 0

  init(_ type: FrameType) {
    self.type = type
  }

  mutating func word(_ bytes: Span<UInt8>) throws(Status) -> UInt32 { UInt32(try number(bytes, 4)) }
  mutating func long(_ bytes: Span<UInt8>) throws(Status) -> UInt64 { try number(bytes, 8) }

  private mutating func number(_ bytes: Span<UInt8>, _ size: Int) throws(Status) -> UInt64 {
    guard bytes.count - offset >= size else { throw wrong("has only \(bytes.count) bytes") }
    var value: UInt64 = 0
    for _ in 0..<size {
      value = value << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return value
  }

  /// The rest of the data as text; invalid UTF-8 is replaced.
  mutating func text(_ bytes: Span<UInt8>) -> String {
    defer { offset = bytes.count }
    return bytes.text(offset..<bytes.count)
  }

  func end(_ bytes: Span<UInt8>) throws(Status) {
    guard offset == bytes.count else { throw wrong("has \(bytes.count) bytes, more than belong to it") }
  }

  func wrong(_ what: String) -> Status {
    Status(.invalidArgument, "a frame of type \(type.rawValue) \(what); see PROTOCOL.md for its data")
  }
}

private enum ControlWriter {
  static func frame(
    _ type: FrameType, stream: UInt32 = 0, length: Int, _ body: (inout OutputSpan<UInt8>) -> Void
  ) -> [UInt8] {
    [UInt8](capacity: FrameHeader.size + length) { output in
      FrameHeader(length: UInt32(clamping: length), stream: stream, type: type.rawValue).encode(to: &output)
      body(&output)
    }
  }
}
