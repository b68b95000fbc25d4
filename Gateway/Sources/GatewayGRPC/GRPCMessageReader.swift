import FaceCore
package import GatewayCoding
package import NIOCore

/// Splits the bytes of an RPC into messages. Each is preceded by five bytes: whether it is compressed, and
/// its length.
package struct GRPCMessageReader {
  package static let prefixSize = 5

  /// The most bytes of a message.
  package let limit: Int
  private var bytes = ByteBuffer()
  /// The length of the next message, once it is known.
  private var length: Int?
  /// Whether messages may be compressed.
  private let isGzip: Bool
  private var isCompressed = false
  /// The bytes by which messages grew when they were inflated.
  private(set) var growth = 0

  package init(limit: Int, isGzip: Bool) {
    self.limit = limit
    self.isGzip = isGzip
  }

  /// Whether a message has been received in part.
  var isInside: Bool { length != nil || bytes.readableBytes > 0 }

  package mutating func append(_ more: UnsafeRawBufferPointer) { bytes.writeBytes(more) }

  /// The next complete message; `nil` if more bytes are needed.
  ///
  /// Throws `resourceExhausted`, naming the limit, for a message that is too long, before it has arrived.
  package mutating func next() throws(CallFailure) -> ByteBuffer? {
    if length == nil {
      guard bytes.readableBytes >= Self.prefixSize,
        let (flag, count) = bytes.readMultipleIntegers(as: (UInt8, UInt32).self)
      else { return nil }
      guard flag == 0 || flag == 1 && isGzip else {
        throw CallFailure(
          .internal,
          "the message begins with \(flag); send 0, or 1 for one that is compressed, with the header grpc-encoding: gzip"
        )
      }
      isCompressed = flag == 1
      guard count <= limit else {
        throw CallFailure(
          .resourceExhausted,
          "the message has \(count) bytes and at most \(limit) are taken (max_body); "
            + "raise --max-body, or scale the image down",
          .limit("max_body"))
      }
      length = Int(count)
    }
    guard let count = length, let message = bytes.readSlice(length: count) else { return nil }
    length = nil
    // An empty buffer should not hold memory.
    if bytes.readableBytes == 0 { bytes = ByteBuffer() }
    guard isCompressed else { return message }
    let inflated = try Gunzip.inflate(message, limit: limit)
    growth += inflated.readableBytes - message.readableBytes
    return inflated
  }
}
