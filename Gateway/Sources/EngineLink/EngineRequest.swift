import FaceCore
package import GatewayCoding
package import NIOCore
import Wire

/// A call to the engine. The gateway does not decode its payload.
package struct EngineRequest: Sendable {
  package enum Kind {
    /// A request with one answer.
    case single
    /// A request with several answers.
    case answers
    /// Messages both ways.
    case messages
  }

  package var service: String
  package var method: String
  package var payload = EngineMessage()
  /// The time limit in nanoseconds; 0 for none.
  package var timeout: Int64 = 0
  package var metadata: [(key: String, value: String)] = []
  package var kind = Kind.single

  package init(
    service: String, method: String, payload: EngineMessage = EngineMessage(), timeout: Int64 = 0,
    metadata: [(key: String, value: String)] = [], kind: Kind = .single
  ) {
    self.service = service
    self.method = method
    self.payload = payload
    self.timeout = timeout
    self.metadata = metadata
    self.kind = kind
  }

  package var name: String { "\(service)/\(method)" }

  /// The largest payload, in bytes, that is copied into its frame, which costs less than another buffer for
  /// the socket.
  private static let maxCopied = 4096

  private var copiesPayload: Bool { payload.body.readableBytes <= Self.maxCopied }

  /// The bytes after the frame of `frame(stream:limit:)`; empty if the frame includes the payload.
  var separatePayload: ByteBuffer { copiesPayload ? ByteBuffer() : payload.body }

  /// The request frame up to its payload, including the payload if that is short.
  ///
  /// Throws `resourceExhausted`, naming the limit, if the engine does not accept frames of this size.
  package func frame(stream: UInt32, limit: Int) throws(CallFailure) -> ByteBuffer {
    // Enough for most requests, so that the buffer grows at most once.
    let (head, body) = (payload.head, payload.body)
    let count = head.readableBytes + body.readableBytes
    let room = 256 + head.readableBytes + (copiesPayload ? body.readableBytes : 0)
    var envelope = ProtobufWriter(after: EngineFrame.room(room))
    envelope.text(1, service)
    envelope.text(2, method)
    envelope.varint(4, UInt64(bitPattern: timeout))
    for (key, value) in metadata {
      envelope.message(5) { entry in
        entry.text(1, key)
        entry.text(2, value)
      }
    }
    if count > 0 {
      envelope.prefix(3, count)
      envelope.field(head)
      if copiesPayload { envelope.field(body) }
    }
    let flags: FrameFlags =
      switch kind {
      case .single: []
      case .answers: .remoteClosed
      case .messages: .remoteOpen
      }
    var frame = envelope.bytes
    try EngineFrame.setHead(
      .request, stream: stream, flags: flags, of: &frame, andMore: copiesPayload ? 0 : body.readableBytes,
      limit: limit)
    return frame
  }
}

/// A frame from or to the engine; its data is a slice of the received bytes.
struct EngineFrame {
  var header: FrameHeader
  var data: ByteBuffer

  /// Returns a buffer that begins with room for a header, and has `capacity` bytes more.
  static func room(_ capacity: Int) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: FrameHeader.size + capacity)
    buffer.writeRepeatingByte(0, count: FrameHeader.size)
    return buffer
  }

  /// Writes the header of a frame into the room for it.
  ///
  /// - Parameter more: the number of data bytes that follow those in `frame`.
  ///
  /// Throws `resourceExhausted`, naming the limit, for longer data.
  static func setHead(
    _ type: FrameType, stream: UInt32, flags: FrameFlags = [], of frame: inout ByteBuffer, andMore more: Int,
    limit: Int
  ) throws(CallFailure) {
    let length = frame.readableBytes - FrameHeader.size + more
    guard length <= limit else { throw tooLong(length, limit) }
    frame.setMultipleIntegers(
      UInt32(length), stream, type.rawValue, flags.rawValue, at: frame.readerIndex)
  }

  static func tooLong(_ length: Int, _ limit: Int) -> CallFailure {
    CallFailure(
      .resourceExhausted,
      "the message has \(length) bytes, more than the engine's \(limit) (max_message_bytes); only image files, "
        + "or the pixels of one image, may make a Detector message larger",
      .limit("max_message_bytes"))
  }
}

extension EngineFrame {
  /// The number at the beginning of the data; `nil` if the data is too short.
  func number<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
    data.getInteger(at: data.readerIndex)
  }

  /// Reads the data of a response: its payload, or its failure.
  static func result(_ data: ByteBuffer) -> Result<ByteBuffer, CallFailure> {
    do throws(Status) {
      let envelope = try ResponseEnvelope(decoding: data.readableBytesUInt8Span)
      func slice(_ range: Range<Int>) -> ByteBuffer {
        data.getSlice(at: data.readerIndex + range.lowerBound, length: range.count) ?? ByteBuffer()
      }
      guard let failure = envelope.failure else { return .success(slice(envelope.payload)) }
      return .failure(CallFailure(failure, encoded: envelope.detailedStatus.map { Array(buffer: slice($0)) }))
    } catch {
      return .failure(CallFailure(.internal, "the engine's answer cannot be read: \(error.message)"))
    }
  }
}

/// Splits the bytes from the engine into frames.
struct EngineFrameReader {
  private var bytes = ByteBuffer()

  mutating func append(_ more: ByteBuffer) {
    if bytes.readableBytes == 0 {
      bytes = more
    } else {
      bytes.writeImmutableBuffer(more)
    }
  }

  /// The next complete frame; `nil` if more bytes are needed.
  mutating func next() throws(CallFailure) -> EngineFrame? {
    guard let length = bytes.getInteger(at: bytes.readerIndex, as: UInt32.self) else { return nil }
    guard length <= FrameHeader.maxPlausibleLength else {
      throw CallFailure(.internal, "the other end of the socket does not speak the engine's protocol")
    }
    let size = FrameHeader.size + Int(length)
    guard bytes.readableBytes >= size else {
      // Earlier frames are still in use and need not be kept for the rest.
      bytes.discardReadBytes()
      bytes.reserveCapacity(minimumWritableBytes: size - bytes.readableBytes)
      return nil
    }
    guard
      let (_, stream, type, flags) = bytes.readMultipleIntegers(as: (UInt32, UInt32, UInt8, UInt8).self),
      let data = bytes.readSlice(length: Int(length))
    else { return nil }
    // An empty buffer should not hold memory.
    if bytes.readableBytes == 0 { bytes = ByteBuffer() }
    let header = FrameHeader(
      length: length, stream: stream, type: type, flags: FrameFlags(rawValue: flags))
    return EngineFrame(header: header, data: data)
  }
}
