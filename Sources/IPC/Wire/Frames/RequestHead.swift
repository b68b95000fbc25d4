public import FaceCore

/// The beginning of a request's frame, whose payload is sent behind it by a caller that has it encoded.
public struct RequestHead {
  private let service: String
  private let method: String
  private let timeout: TimeSpan
  private let metadata: [(key: String, value: String)]
  private let payloadSize: Int
  private let header: FrameHeader

  /// Throws `resourceExhausted` if the frame would have more than `limit` bytes of data.
  public init(
    service: String, method: String, _ call: CallHeader, metadata: [(key: String, value: String)],
    payloadSize: Int, flags: FrameFlags, limit: Int
  ) throws(Status) {
    self.service = service
    self.method = method
    timeout = call.timeout
    self.metadata = metadata
    self.payloadSize = payloadSize
    let length =
      FieldWriter.bytesSize(service.utf8.count) + FieldWriter.bytesSize(method.utf8.count)
      + FieldWriter.integerSize(timeout.nanoseconds) + FieldWriter.bytesSize(payloadSize)
      + metadata.reduce(0) { $0 + FieldWriter.fieldSize(Self.size($1)) }
    header = try FrameHeader(
      length: length, stream: call.stream, type: .request, flags: flags, limit: limit)
  }

  /// The size of a `ttrpc.KeyValue`.
  private static func size(_ entry: (key: String, value: String)) -> Int {
    FieldWriter.bytesSize(entry.key.utf8.count) + FieldWriter.bytesSize(entry.value.utf8.count)
  }

  /// The bytes that `encode` appends.
  public var byteCount: Int { FrameHeader.size + Int(header.length) - payloadSize }

  public func encode(to output: inout OutputSpan<UInt8>) {
    header.encode(to: &output)
    FieldWriter.string(1, service, to: &output)
    FieldWriter.string(2, method, to: &output)
    FieldWriter.integer(4, timeout.nanoseconds, to: &output)
    for entry in metadata {
      FieldWriter.prefix(5, Self.size(entry), to: &output)
      FieldWriter.string(1, entry.key, to: &output)
      FieldWriter.string(2, entry.value, to: &output)
    }
    if payloadSize > 0 { FieldWriter.prefix(3, payloadSize, to: &output) }
  }
}

extension FrameHeader {
  /// The header of a message. Throws `resourceExhausted` if the message has more than `limit` bytes.
  public init(
    length: Int, stream: UInt32, type: FrameType, flags: FrameFlags = [], limit: Int
  ) throws(Status) {
    guard length <= limit else { throw Self.tooLong(length, limit: limit) }
    self.init(length: UInt32(clamping: length), stream: stream, type: type.rawValue, flags: flags)
  }

  /// The failure of a message with more bytes than the engine accepts.
  public static func tooLong(_ length: Int, limit: Int) -> Status {
    Status(
      .resourceExhausted,
      "the message has \(length) bytes, more than the engine's \(limit) (max_message_bytes); only image files, "
        + "or the pixels of one image, may make a Detector message larger", .limit("max_message_bytes"))
  }
}
