package import NIOCore

/// The sizes of reads from a client's socket: small ones for calls, large ones while a picture arrives, since each read
/// has its price.
///
/// Buffers are not kept, so that idle connections hold none.
package struct SocketReads: RecvByteBufferAllocator {
  private static let sizes = 2 << 10...256 << 10
  /// The reads before the connection is asked whether it wants more: with the largest ones no more than
  /// `RequestMemory.unreserved`.
  package static let together: UInt = 2

  private var size = sizes.lowerBound

  package init() {}

  package func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(capacity: size) }

  package mutating func record(actualReadBytes: Int) -> Bool {
    let last = size
    if actualReadBytes >= last {
      size = min(last * 8, Self.sizes.upperBound)
    } else if actualReadBytes < last / 8 {
      size = max(last / 8, Self.sizes.lowerBound)
    }
    return size > last
  }
}
