import CZlib
import FaceCore
package import NIOCore

/// How callers compress a body. Source: RFC 9110, section 8.4.1.
package enum ContentCoding: String, Sendable {
  /// Members, each with a checksum, and nothing else. Source: RFC 1952.
  case gzip
  /// One stream of zlib with a checksum, and nothing else. Source: RFC 1950.
  case deflate

  /// The bytes compressed as much as gzip can; `nil` if that does not make them smaller.
  package static func gzipped(_ bytes: ByteBuffer) -> ByteBuffer? {
    var output = ByteBuffer()
    let isSmaller = bytes.withUnsafeReadableBytes { input in
      withUnsafeTemporaryAllocation(of: z_stream.self, capacity: 1) { memory in
        guard let stream = memory.baseAddress else { return false }
        stream.initialize(to: z_stream())
        guard
          deflateInit2_(
            stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return false }
        defer { deflateEnd(stream) }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: input.count) { room in
          stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
          stream.pointee.avail_out = UInt32(input.count)
          return CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END ? Int(stream.pointee.total_out) : 0
        }
        return output.readableBytes > 0
      }
    }
    return isSmaller ? output : nil
  }

  /// The length and the CRC-32 of bytes, in hexadecimal digits.
  package static func checksum(_ bytes: ByteBuffer) -> String {
    let sum = bytes.withUnsafeReadableBytes { input in
      crc32_z(0, input.bindMemory(to: UInt8.self).baseAddress, input.count)
    }
    return String(bytes.readableBytes, radix: 16) + "-" + String(sum, radix: 16)
  }
}

/// Inflates what a caller compressed, a piece at a time. Used by one thread at a time.
package final class Inflater: @unchecked Sendable {
  /// The fewest and the most bytes of a piece.
  private static let pieces = 1 << 10...256 << 10

  private let stream: UnsafeMutablePointer<z_stream>
  private let input: ByteBuffer
  private let coding: ContentCoding
  private let limit: Int
  private let pieceSize: Int
  private var output = ByteBuffer()

  /// Throws `resourceExhausted` if there is no memory.
  ///
  /// - Parameter limit: the most bytes of the output.
  package init(_ input: ByteBuffer, _ coding: ContentCoding, limit: Int) throws(CallFailure) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    self.input = input
    self.coding = coding
    self.limit = limit
    pieceSize = min(max(4 * input.readableBytes, Self.pieces.lowerBound), Self.pieces.upperBound)
    stream.pointee.avail_in = UInt32(input.readableBytes)
    // 15 bits of window, and 16 for gzip's header.
    let window: Int32 = coding == .gzip ? 15 + 16 : 15
    guard inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw CallFailure(.resourceExhausted, "there is no memory to inflate the body; try again later") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// The output, which this does not hold any more.
  package func takeOutput() -> ByteBuffer {
    defer { output = ByteBuffer() }
    return output
  }

  /// Inflates the next piece.
  ///
  /// Throws `resourceExhausted`, naming the limit, for more bytes than that, before they are made; and
  /// `invalidArgument` for bytes that are not in this coding, are damaged or cut off, or have others behind them.
  package func inflateMore() throws(CallFailure) -> (byteCount: Int, isLast: Bool) {
    let start = output.readableBytes
    // One byte more than the limit shows that there are too many.
    let room = min(limit + 1 - start, pieceSize)
    var code = Z_OK
    input.withUnsafeReadableBytes { bytes in
      let rest = bytes.suffix(Int(stream.pointee.avail_in))
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: UnsafeRawBufferPointer(rebasing: rest).bindMemory(to: UInt8.self).baseAddress)
      output.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { space in
        stream.pointee.next_out = space.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(room)
        code = inflate(stream, Z_NO_FLUSH)
        return room - Int(stream.pointee.avail_out)
      }
    }
    guard output.readableBytes <= limit else {
      throw CallFailure(
        .resourceExhausted,
        "the inflated bytes are more than \(limit) (max_body); scale a picture down, or raise --max-body",
        .limit("max_body"))
    }
    let isAllRead = stream.pointee.avail_in == 0
    var isLast = false
    switch code {
    case Z_STREAM_END where isAllRead: (code, isLast) = (Z_OK, true)
    case Z_STREAM_END where coding == .gzip: code = inflateReset(stream)
    case Z_STREAM_END: throw damaged("other bytes follow it")
    case Z_OK where isAllRead && stream.pointee.avail_out > 0, Z_BUF_ERROR:
      throw damaged("it ends too soon")
    default: break
    }
    guard code == Z_OK else {
      throw damaged(stream.pointee.msg.map { String(cString: $0) } ?? "it is not \(coding)")
    }
    return (output.readableBytes - start, isLast)
  }

  private func damaged(_ what: String) -> CallFailure {
    CallFailure(
      .invalidArgument, "the \(coding) data is damaged or cut short (\(what)); send it again, or uncompressed"
    )
  }
}
