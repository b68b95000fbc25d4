import FaceCore
import NIOCore
import Posix
import Wire

/// The images of one message in memory that is offered to the engine with it, and the message that names
/// them. Freed with the last reference, on any thread: the engine has a mapping of its own.
final class SharedImages: Sendable {
  /// The number under which a connection offers the memory.
  let buffer: UInt32
  let message: ByteBuffer
  private let memory: MemoryFile
  private let room: ImageRoom

  /// Copies the images. Throws `resourceExhausted` if there is no memory for them.
  init(_ images: MovedImages, in buffer: UInt32, _ room: ImageRoom) throws(Status) {
    self.buffer = buffer
    self.room = room
    message = images.message
    memory = try MemoryFile(size: images.byteCount)
    var free = memory.bytes[...]
    for bytes in images.contents {
      bytes.withUnsafeReadableBytes { UnsafeMutableRawBufferPointer(rebasing: free).copyMemory(from: $0) }
      free = free.dropFirst(bytes.readableBytes)
    }
  }

  /// The frame that offers the memory; the descriptor goes with it.
  var offer: [UInt8] {
    ControlFromClient.register(buffer: buffer, size: UInt64(memory.bytes.count)).frame
  }

  /// The frame that withdraws the memory. The engine frees it after the last use.
  var withdrawal: [UInt8] { ControlFromClient.unregister(buffer: buffer).frame }

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
