import CZlib
import FaceCore
package import NIOCore

/// Inflates what callers compressed with gzip.
///
/// Source: RFC 1952: one member or several, one after the other, each with a checksum, and nothing else.
package enum Gunzip {
  /// The fewest and the most bytes by which the output grows.
  private static let pieces = 1 << 10...256 << 10

  /// Returns the inflated bytes, at most `limit` of them.
  ///
  /// Throws `resourceExhausted`, naming the limit, for more, before they are made; and `invalidArgument` for
  /// bytes that are not gzip, are damaged or cut off, or have others behind them.
  package static func inflate(
    _ body: ByteBuffer, limit: Int
  ) throws(CallFailure) -> ByteBuffer {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    // 15 bits of window, and 16 for gzip's header.
    guard
      inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw CallFailure(.resourceExhausted, "there is no memory to inflate the body; try again later") }
    defer { inflateEnd(stream) }
    var output = ByteBuffer()
    var failure: CallFailure?
    body.withUnsafeReadableBytes { input in
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: input.bindMemory(to: UInt8.self).baseAddress)
      stream.pointee.avail_in = UInt32(input.count)
      let piece = min(max(4 * input.count, pieces.lowerBound), pieces.upperBound)
      failure = inflate(stream, into: &output, by: piece, limit: limit)
    }
    if let failure { throw failure }
    return output
  }

  /// Returns why it failed; `nil` if all input was inflated.
  private static func inflate(
    _ stream: UnsafeMutablePointer<z_stream>, into output: inout ByteBuffer, by piece: Int, limit: Int
  ) -> CallFailure? {
    while true {
      // One byte more than the limit shows that there are too many.
      let room = min(limit + 1 - output.readableBytes, piece)
      var code = Z_OK
      output.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { space in
        stream.pointee.next_out = space.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(room)
        code = CZlib.inflate(stream, Z_NO_FLUSH)
        return room - Int(stream.pointee.avail_out)
      }
      guard output.readableBytes <= limit else {
        return CallFailure(
          .resourceExhausted,
          "the inflated bytes are more than \(limit) (max_body); scale a picture down, or raise --max-body",
          .limit("max_body"))
      }
      let isAllRead = stream.pointee.avail_in == 0
      switch code {
      case Z_STREAM_END where isAllRead: return nil
      case Z_STREAM_END: code = inflateReset(stream)
      case Z_OK where isAllRead && stream.pointee.avail_out > 0, Z_BUF_ERROR:
        return damaged("it ends too soon")
      default: break
      }
      guard code == Z_OK else {
        return damaged(stream.pointee.msg.map { String(cString: $0) } ?? "it is no gzip")
      }
    }
  }

  private static func damaged(_ what: String) -> CallFailure {
    CallFailure(
      .invalidArgument, "the gzip data is damaged or cut short (\(what)); send it again, or uncompressed")
  }
}
