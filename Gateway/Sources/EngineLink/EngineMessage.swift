import FaceCore
package import GatewayServing
package import NIOCore
import Wire

/// A message to the engine: the bytes of `head`, then those of `body`.
package struct EngineMessage: Sendable {
  /// What precedes a picture, which stays in the buffer in which it came.
  private(set) var head = ByteBuffer()
  package private(set) var body = ByteBuffer()
  /// The memory with the picture that the message names. If the message has no bytes, it is all in there, and its
  /// images are named when it is sent.
  private(set) var upload: SharedUpload?
  /// What it takes of the gateway's memory for requests, if the request may end before the message is freed.
  package var hold: RequestHold?

  package init(_ message: ByteBuffer = ByteBuffer()) {
    body = message
  }

  /// - Parameter message: names the upload.
  init(_ message: ByteBuffer, naming upload: SharedUpload) {
    body = message
    self.upload = upload
  }

  /// A message as it was received.
  package init(_ upload: SharedUpload) {
    self.upload = upload
    hold = upload.hold
  }

  /// A message that ends with an image file.
  init(head: ByteBuffer, _ file: ByteBuffer) {
    self.head = head
    body = file
  }

  /// The frame of a message of a stream up to `body`. Throws `resourceExhausted`, naming the limit, for a longer one.
  func frame(stream: UInt32, limit: Int) throws(Status) -> ByteBuffer {
    let header = try FrameHeader(
      length: head.readableBytes + body.readableBytes, stream: stream, type: .data, limit: limit)
    var frame = ByteBufferAllocator().buffer(capacity: FrameHeader.size + head.readableBytes)
    frame.write(FrameHeader.size) { header.encode(to: &$0) }
    frame.writeImmutableBuffer(head)
    return frame
  }

  /// Whether its images are named when it is sent.
  var isUnnamed: Bool { upload != nil && body.readableBytes == 0 }

  /// The size of the whole message, with the memory that it names.
  package var byteCount: Int { head.readableBytes + body.readableBytes + (upload?.count ?? 0) }
}
