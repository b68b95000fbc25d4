import FaceCore
import GatewayCoding
import NIOCore
import Wire

/// Turns a message in shared memory into one that names its images in place. All else is as it was, unknown
/// fields included.
///
/// Source: Proto/face_engine.proto, `Image`, `Pixels`, `SharedBytes`, `SharedPixels`.
package struct NamedImages {
  /// The fields that lead to an image in the messages of each method.
  private static let paths: [String: [Int]] = [
    Method.detect.fullName: [1], Method.detectBatch.fullName: [1], Method.watch.fullName: [2, 3],
    Method.check.fullName: [2, 3],
  ]

  /// Whether messages of a method can have images.
  package static func areIn(_ method: String) -> Bool { paths[method] != nil }

  private let upload: SharedUpload
  /// The most bytes of the message.
  private let limit: Int
  /// The files, and the rows of pixels.
  private var contentCount = 0
  /// The rows of an image with pixels.
  private var rows: Range<Int>?

  private init(_ upload: SharedUpload, limit: Int) {
    self.upload = upload
    self.limit = limit
  }

  /// Names the images of a message.
  ///
  /// Returns `nil` if that does not make the message small enough. Throws `invalidArgument` for bytes that
  /// are not a message.
  static func message(
    in upload: SharedUpload, of method: String, limit: Int
  ) throws(Status) -> ByteBuffer? {
    guard let path = paths[method] else { return nil }
    var images = NamedImages(upload, limit: limit)
    guard let message = try images.named(0..<upload.count, path[...]), images.contentCount > 0 else {
      return nil
    }
    guard let rows = images.rows else { return message }
    // They have to end with the memory: the engine compares them with its size alone.
    guard images.contentCount == 1 else { return nil }
    _ = upload.moveToEnd(rows)
    return message
  }

  private mutating func named(_ range: Range<Int>, _ path: ArraySlice<Int>) throws(Status) -> ByteBuffer? {
    guard let next = path.first else { return try image(range) }
    return try rewritten(range) { images, writer, field throws(Status) in
      guard field.number == next, case .bytes(let inner) = field.value else { return .unchanged }
      guard let named = try images.named(inner, path.dropFirst()) else { return .impossible }
      writer.bytes(next, named)
      return .written
    }
  }

  private mutating func image(_ range: Range<Int>) throws(Status) -> ByteBuffer? {
    try rewritten(range) { images, writer, field throws(Status) in
      switch (field.number, field.value) {
      case (1, .bytes(let file)) where !file.isEmpty:
        images.contentCount += 1
        writer.message(3) { shared in
          shared.varint(1, UInt64(images.upload.number))
          shared.varint(2, UInt64(file.lowerBound))
          shared.varint(3, UInt64(file.count))
        }
      case (2, .bytes(let pixels)):
        guard let named = try images.pixels(pixels) else { return .impossible }
        writer.bytes(4, named)
      default: return .unchanged
      }
      return .written
    }
  }

  private mutating func pixels(_ range: Range<Int>) throws(Status) -> ByteBuffer? {
    let earlier = contentCount
    var start = ProtobufWriter()
    start.varint(1, UInt64(upload.number))
    let named = try rewritten(range, after: start.bytes) { images, writer, field throws(Status) in
      switch (field.number, field.value) {
      // Format, width, height, stride.
      case (1...4, .varint(let value)): writer.present(field.number + 2, value)
      case (5, .bytes(let data)):
        images.contentCount += 1
        images.rows = data
        writer.present(2, UInt64(images.upload.count - data.count))
      // Chroma planes, colour.
      case (6, .bytes(let plane)): writer.bytes(7, ByteBuffer(bytes: images.upload.bytes[plane]))
      case (7, .varint(let colour)): writer.present(8, colour)
      // Shared pixels have other numbers, so what an unknown field means there is not known.
      default: return .impossible
      }
      return .written
    }
    return contentCount == earlier ? nil : named
  }

  private enum Step {
    case written, unchanged, impossible
  }

  /// Writes the fields of a message, each as `body` does or as it was.
  private mutating func rewritten(
    _ range: Range<Int>, after start: ByteBuffer = ByteBuffer(),
    _ body: (inout NamedImages, inout ProtobufWriter, ProtobufScanner.Field) throws(Status) -> Step
  ) throws(Status) -> ByteBuffer? {
    var writer = ProtobufWriter(after: start)
    var scanner = ProtobufScanner(range, of: "message")
    var earlier = scanner.offset
    while let field = try scanner.next(Span(_unsafeBytes: upload.bytes)) {
      switch try body(&self, &writer, field) {
      case .written: break
      case .unchanged: writer.field(UnsafeRawBufferPointer(rebasing: upload.bytes[earlier..<scanner.offset]))
      case .impossible: return nil
      }
      guard writer.bytes.readableBytes <= limit else { return nil }
      earlier = scanner.offset
    }
    return writer.bytes
  }

  /// The answer to a frame that failed, with another failure.
  static func answer(_ message: ByteBuffer, failure: Status) -> ByteBuffer {
    var writer = ProtobufWriter()
    var reader = ProtobufReader(message)
    var earlier = reader
    while let field = try? reader.next() {
      if field.number == 5 {
        writer.message(5) { replaced in
          replaced.varint(1, UInt64(failure.code.rawValue))
          replaced.text(2, failure.message)
        }
      } else {
        writer.field(reader.field(since: earlier))
      }
      earlier = reader
    }
    return writer.bytes
  }
}
