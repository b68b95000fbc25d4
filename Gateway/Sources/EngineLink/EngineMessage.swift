import FaceCore
import GatewayCoding
package import GatewayServing
package import NIOCore

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

  /// A message with an image file at its end.
  ///
  /// - Parameters:
  ///   - template: the message with another image.
  ///   - path: the fields that lead to the image.
  init(_ template: ByteBuffer, path: [Int], ending file: ByteBuffer) throws(Status) {
    head = try Self.head(of: template, path[...], file.readableBytes)
    body = file
  }

  /// The fields of a message other than the one on the path, and then the beginning of that one.
  private static func head(
    of message: ByteBuffer, _ path: ArraySlice<Int>, _ fileSize: Int
  ) throws(Status) -> ByteBuffer {
    // The last one is the field of an image that has the file.
    let number = path.first ?? 1
    var writer = ProtobufWriter()
    var image = ByteBuffer()
    var reader = ProtobufReader(message)
    var earlier = reader
    while let field = try reader.next() {
      if field.number == number {
        image = field.value.bytes ?? image
      } else {
        writer.field(reader.field(since: earlier))
      }
      earlier = reader
    }
    guard !path.isEmpty else {
      writer.prefix(number, fileSize)
      return writer.bytes
    }
    let inner = try head(of: image, path.dropFirst(), fileSize)
    writer.prefix(number, inner.readableBytes + fileSize)
    writer.field(inner)
    return writer.bytes
  }

  /// Whether its images are named when it is sent.
  var isUnnamed: Bool { upload != nil && body.readableBytes == 0 }

  /// The size of the whole message, with the memory that it names.
  package var byteCount: Int { head.readableBytes + body.readableBytes + (upload?.count ?? 0) }
}
