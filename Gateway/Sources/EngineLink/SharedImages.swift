import FaceCore
import NIOCore

/// The images of one message in memory that is offered to the engine with it, and the message that names them.
final class SharedImages: Sendable {
  let upload: SharedUpload
  let message: ByteBuffer
  private let room: ImageRoom

  init(_ upload: SharedUpload, namedBy message: ByteBuffer, _ room: ImageRoom) {
    self.upload = upload
    self.message = message
    self.room = room
  }
}
