import EngineLink
import FaceCore
import GatewayCoding
import GatewayServing
import NIOCore

/// Splits the bytes of an RPC into messages. Each is preceded by five bytes: whether it is compressed, and
/// its length.
struct GRPCMessageReader {
  static let prefixSize = 5

  /// The most bytes of a message.
  let limit: Int
  /// Whether large messages go into memory that the engine can map.
  private let isShared: Bool
  /// Whether messages may be compressed.
  private let isGzip: Bool
  /// What has arrived, but for what is in `upload`.
  private var bytes = ByteBuffer()
  /// A large message, which is received there.
  private var upload: SharedUpload?
  /// The length of the next message, once it is known.
  private var length: Int?
  private var isCompressed = false

  init(limit: Int, isShared: Bool, isGzip: Bool) {
    self.limit = limit
    self.isShared = isShared
    self.isGzip = isGzip
  }

  /// Whether a message has been received in part.
  var isInside: Bool { length != nil || bytes.readableBytes > 0 }

  /// The bytes of the next message that have arrived.
  var receivedByteCount: Int { upload?.count ?? bytes.readableBytes }

  /// The bytes of the next message that have not arrived; 0 if its length is not known.
  var missing: Int { max(0, (length ?? 0) - receivedByteCount) }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    guard let upload else {
      bytes.writeBytes(more)
      return
    }
    let own = more.prefix(missing)
    upload.append(UnsafeRawBufferPointer(rebasing: own))
    if own.count < more.count { bytes.writeBytes(more.dropFirst(own.count)) }
  }

  /// Makes a place for the rest of a message whose length is known.
  mutating func makePlace() throws(CallFailure) {
    guard let length, upload == nil else { return }
    guard isShared, !isCompressed, length > SharedUpload.fewest else {
      bytes.discardReadBytes()
      return bytes.reserveCapacity(minimumWritableBytes: missing)
    }
    do throws(Status) {
      let upload = try SharedUpload(size: length)
      upload.append(bytes)
      bytes = ByteBuffer()
      self.upload = upload
    } catch {
      throw CallFailure(error)
    }
  }

  /// The next complete message, and whether it is compressed; `nil` if more bytes are needed.
  ///
  /// - Parameter share: what the RPC holds of the memory.
  ///
  /// Throws `resourceExhausted`, naming the limit, for a message that is too long, before it has arrived.
  mutating func next(
    _ share: RequestShare
  ) throws(CallFailure) -> (message: EngineMessage, isCompressed: Bool)? {
    if length == nil {
      guard let count = try readPrefix() else { return nil }
      share.release(Self.prefixSize)
      length = count
      if missing > 0, missing <= RequestMemory.unreserved {
        bytes.reserveCapacity(minimumWritableBytes: missing)
      }
    }
    guard missing == 0, let count = length else { return nil }
    length = nil
    if let upload = upload.take() {
      upload.hold = share.split(count)
      return (EngineMessage(upload), false)
    }
    guard let message = bytes.readSlice(length: count) else { return nil }
    // An empty buffer should not hold memory.
    if bytes.readableBytes == 0 { bytes = ByteBuffer() }
    return (EngineMessage(message), isCompressed)
  }

  /// The length of the next message; `nil` if more bytes are needed.
  private mutating func readPrefix() throws(CallFailure) -> Int? {
    guard bytes.readableBytes >= Self.prefixSize,
      let (flag, count) = bytes.readMultipleIntegers(as: (UInt8, UInt32).self)
    else { return nil }
    guard flag == 0 || flag == 1 && isGzip else {
      throw CallFailure(
        .internal,
        "the message begins with \(flag); send 0, or 1 for a compressed message and the header grpc-encoding: gzip"
      )
    }
    isCompressed = flag == 1
    guard count <= limit else {
      throw CallFailure(
        .resourceExhausted,
        "the message has \(count) bytes, more than the limit of \(limit) (max_body); "
          + "raise --max-body, or scale the image down",
        .limit("max_body"))
    }
    return Int(count)
  }
}
