package import NIOCore

/// The sizes of reads from a client's socket: small ones for calls, large ones while a picture arrives, since each read
/// has its price.
///
/// Buffers are not kept, so that idle connections hold none.
package struct SocketReads: RecvByteBufferAllocator {
  private static let sizes = 2 << 10...256 << 10
  /// The reads before the connection decides whether it wants more: with the largest ones no more than
  /// `RequestMemory.unreserved`.
  package static let together: UInt = 2

  private var size: Int
  private var most = sizes.upperBound

  /// - Parameter byteCount: the bytes that are known to come.
  package init(expecting byteCount: Int = 0) {
    size = min(max(byteCount, Self.sizes.lowerBound), Self.sizes.upperBound)
  }

  /// Small reads alone.
  package static let small: SocketReads = {
    var reads = SocketReads()
    reads.most = sizes.lowerBound
    return reads
  }()

  package func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(capacity: size) }

  package mutating func record(actualReadBytes: Int) -> Bool {
    let last = size
    if actualReadBytes >= last {
      size = min(last * 8, most)
    } else if actualReadBytes < last / 8 {
      size = max(last / 8, Self.sizes.lowerBound)
    }
    return size > last
  }
}
