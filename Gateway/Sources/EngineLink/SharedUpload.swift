package import FaceCore
package import GatewayServing
package import NIOCore
import Posix
import Synchronization
import Wire

/// Bytes of a request in memory that the engine maps: they are not copied again. Freed with the last reference, on any
/// thread, while the engine may still have a mapping of its own.
///
/// Whoever receives the request appends to it; from then on, it is only read but for `moveToEnd`.
package final class SharedUpload: @unchecked Sendable {
  /// The fewest bytes that are received in such memory: fewer go to the engine in a frame, which costs less.
  package static let fewest = FrameHeader.maxLength - (32 << 10)

  private static let lastNumber = Atomic<UInt32>(0)

  /// The number under which connections offer the memory.
  let number = SharedUpload.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
  /// The bytes that have been received.
  package private(set) var count = 0
  private let memory: MemoryFile
  /// What the bytes take of the gateway's memory for requests.
  package var hold: RequestHold?

  /// Throws `resourceExhausted` if there is no memory for `size` bytes, at least one.
  package init(size: Int) throws(Status) {
    memory = try MemoryFile(size: size)
  }

  convenience init(_ message: EngineMessage) throws(Status) {
    try self.init(size: message.byteCount)
    append(message.head)
    append(message.body)
    hold = message.hold
  }

  /// The bytes that still fit.
  package var room: Int { memory.bytes.count - count }

  package func append(_ bytes: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: memory.bytes[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  package func append(_ bytes: ByteBuffer) { bytes.withUnsafeReadableBytes { append($0) } }

  /// The first bytes, at most 64.
  package var start: [UInt8] { Array(bytes[..<min(count, 64)]) }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory.bytes) }

  /// Moves a part to the end of the memory, over what is there; returns where it begins then.
  func moveToEnd(_ part: Range<Int>) -> Int {
    let start = count - part.count
    if start != part.lowerBound {
      UnsafeMutableRawBufferPointer(rebasing: memory.bytes[start...]).copyMemory(
        from: .init(rebasing: bytes[part]))
    }
    return start
  }

  /// The frame that offers the memory; the descriptor goes with it.
  var offer: [UInt8] { ControlFromClient.register(buffer: number, size: UInt64(memory.bytes.count)).frame }

  /// The frame that withdraws the memory. The engine frees it after the last use.
  var withdrawal: [UInt8] { ControlFromClient.unregister(buffer: number).frame }

  /// Sends bytes of the offer with the descriptor. sendmsg(2)
  func send(_ offer: [UInt8], to socket: Int32) throws(Status) -> Transfer {
    let sent: Result<Transfer, Status> = offer.withUnsafeBytes { bytes in
      Result { () throws(Status) in
        try UnixSocket.write(bytes, passing: memory.descriptor, to: socket)
      }
    }
    return try sent.get()
  }
}
