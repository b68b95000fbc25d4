import FaceCore
import NIOCore
import Wire

/// A call of the engine, whose payload is never opened.
struct EngineRequest: Sendable {
  enum Kind {
    /// One answer.
    case single
    /// Several answers.
    case answers
    /// Messages both ways.
    case messages
  }

  var service: String
  var method: String
  var payload = ByteBuffer()
  /// Nanoseconds; 0 for as long as it takes.
  var timeout: Int64 = 0
  var metadata: [(key: String, value: String)] = []
  var kind = Kind.single

  var name: String { "\(service)/\(method)" }

  /// A request frame up to its payload, which comes next.
  ///
  /// Throws `resourceExhausted` naming the limit when the engine takes no frame of this size.
  func head(stream: UInt32, limit: Int) throws(CallFailure) -> ByteBuffer {
    var envelope = ProtobufWriter()
    envelope.text(1, service)
    envelope.text(2, method)
    envelope.varint(4, UInt64(bitPattern: timeout))
    for (key, value) in metadata {
      envelope.message(5) { entry in
        entry.text(1, key)
        entry.text(2, value)
      }
    }
    if payload.readableBytes > 0 { envelope.prefix(3, payload.readableBytes) }
    let length = envelope.bytes.readableBytes + payload.readableBytes
    let flags: FrameFlags =
      switch kind {
      case .single: []
      case .answers: .remoteClosed
      case .messages: .remoteOpen
      }
    var head = try EngineFrame.head(.request, stream: stream, flags: flags, length: length, limit: limit)
    head.writeImmutableBuffer(envelope.bytes)
    return head
  }
}

/// A frame from or to the engine; its data is a slice of what was read.
struct EngineFrame {
  var header: FrameHeader
  var data: ByteBuffer

  /// Throws `resourceExhausted` naming the limit for data that is longer.
  static func head(
    _ type: FrameType, stream: UInt32, flags: FrameFlags = [], length: Int, limit: Int
  ) throws(CallFailure) -> ByteBuffer {
    guard length <= limit else {
      throw CallFailure(
        .resourceExhausted,
        "the message has \(length) bytes and the engine takes \(limit) in one (max_message_bytes); "
          + "send the image as JPEG or scale it down",
        .limit("max_message_bytes"))
    }
    var buffer = ByteBuffer()
    let header = FrameHeader(
      length: UInt32(length), stream: stream, type: type.rawValue, flags: flags)
    let bytes = [UInt8](capacity: FrameHeader.size) { header.encode(to: &$0) }
    buffer.writeBytes(bytes)
    return buffer
  }
}

/// Cuts what the engine sends into frames.
struct EngineFrameDecoder: ByteToMessageDecoder {
  typealias InboundOut = EngineFrame

  mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else {
      return .needMoreData
    }
    guard length <= FrameHeader.maxPlausibleLength else {
      throw CallFailure(.internal, "the socket's other side does not speak the engine's protocol")
    }
    let size = FrameHeader.size + Int(length)
    guard buffer.readableBytes >= size else {
      buffer.reserveCapacity(minimumWritableBytes: size - buffer.readableBytes)
      return .needMoreData
    }
    buffer.moveReaderIndex(forwardBy: 4)
    guard let (stream, type, flags) = buffer.readMultipleIntegers(as: (UInt32, UInt8, UInt8).self),
      let data = buffer.readSlice(length: Int(length))
    else { return .needMoreData }
    let header = FrameHeader(
      length: length, stream: stream, type: type, flags: FrameFlags(rawValue: flags))
    context.fireChannelRead(wrapInboundOut(EngineFrame(header: header, data: data)))
    return .continue
  }
}
