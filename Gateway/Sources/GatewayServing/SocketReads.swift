package import NIOCore

/// The sizes of reads from a client's socket: small ones for calls, large ones while a picture arrives, since each read
/// has its price.
///
/// A channel keeps the buffers of its first reads for good (`NIOPooledRecvBufferAllocator`), with what was last read.
/// Those are small; all others are freed with the last reference.
package struct SocketReads: RecvByteBufferAllocator {
  private static let sizes = 2 << 10...256 << 10
  /// The reads before the connection decides whether it wants more: with the largest ones no more than
  /// `RequestMemory.unreserved`. The channel keeps as many buffers.
  package static let together: UInt = 2

  private var size = sizes.lowerBound
  private var most = sizes.upperBound
  private var keptCount: UInt = 0

  package init() {}

  /// - Parameter byteCount: the bytes that are known to come.
  package mutating func makeLarge(expecting byteCount: Int) {
    most = Self.sizes.upperBound
    size = min(max(byteCount, Self.sizes.lowerBound), most)
  }

  package mutating func makeSmall() {
    most = Self.sizes.lowerBound
    size = most
  }

  package func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
    allocator.buffer(capacity: keptCount < Self.together ? Self.sizes.lowerBound : size)
  }

  package mutating func record(actualReadBytes: Int) -> Bool {
    guard keptCount == Self.together else {
      keptCount += 1
      return true  // the next read gets another buffer
    }
    let last = size
    if actualReadBytes >= last {
      size = min(last * 8, most)
    } else if actualReadBytes < last / 8 {
      size = max(last / 8, Self.sizes.lowerBound)
    }
    return size > last
  }
}
