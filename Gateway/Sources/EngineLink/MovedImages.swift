import FaceCore
import GatewayCoding
import NIOCore

/// A message to the engine whose images were moved into a shared buffer, which it names in their place. All
/// else is as it was, unknown fields included.
///
/// Source: Proto/face_engine.proto, `Image`, `Pixels`, `SharedBytes`, `SharedPixels`.
struct MovedImages {
  /// The fields that lead to an image in the messages of each method.
  private static let paths: [String: [Int]] = [
    "faceengine.v1.Detector/Detect": [1], "faceengine.v1.Detector/DetectBatch": [1],
    "faceengine.v1.Detector/Watch": [2, 3], "faceengine.v1.Detector/Check": [2, 3],
  ]

  /// Whether messages of a method can have images.
  static func areIn(_ method: String) -> Bool { paths[method] != nil }

  private(set) var message = ByteBuffer()
  /// The contents of the buffer, one after the other.
  private(set) var contents: [ByteBuffer] = []
  /// The size of the contents in bytes.
  private(set) var byteCount = 0

  private let buffer: UInt32
  /// The most bytes of the message.
  private let limit: Int
  private var pixelsCount = 0

  /// Moves the images of a message.
  ///
  /// Returns `nil` if that does not make the message small enough. Throws `invalidArgument` for bytes that
  /// are not a message.
  init?(_ message: ByteBuffer, of method: String, to buffer: UInt32, limit: Int) throws(Status) {
    guard let path = Self.paths[method] else { return nil }
    self.buffer = buffer
    self.limit = limit
    guard let rest = try moved(message, path[...]), byteCount > 0 else { return nil }
    // The rows of pixels have to end with the buffer: the engine compares them with its size alone.
    guard pixelsCount == 0 || contents.count == 1 else { return nil }
    self.message = rest
  }

  private mutating func moved(_ message: ByteBuffer, _ path: ArraySlice<Int>) throws(Status) -> ByteBuffer? {
    guard let next = path.first else { return try image(message) }
    var writer = ProtobufWriter()
    var reader = ProtobufReader(message)
    var earlier = reader
    while let field = try reader.next() {
      if field.number == next, let inner = field.value.bytes {
        guard let moved = try moved(inner, path.dropFirst()) else { return nil }
        writer.bytes(next, moved)
      } else {
        writer.field(reader.field(since: earlier))
      }
      guard writer.bytes.readableBytes <= limit else { return nil }
      earlier = reader
    }
    return writer.bytes
  }

  private mutating func image(_ image: ByteBuffer) throws(Status) -> ByteBuffer? {
    var writer = ProtobufWriter()
    var reader = ProtobufReader(image)
    var earlier = reader
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (1, .bytes(let file)) where file.readableBytes > 0:
        let offset = move(file)
        writer.message(3) { shared in
          shared.varint(1, UInt64(buffer))
          shared.varint(2, UInt64(offset))
          shared.varint(3, UInt64(file.readableBytes))
        }
      case (2, .bytes(let pixels)):
        guard let moved = try self.pixels(pixels) else { return nil }
        writer.bytes(4, moved)
      default: writer.field(reader.field(since: earlier))
      }
      guard writer.bytes.readableBytes <= limit else { return nil }
      earlier = reader
    }
    return writer.bytes
  }

  private mutating func pixels(_ pixels: ByteBuffer) throws(Status) -> ByteBuffer? {
    pixelsCount += 1
    var writer = ProtobufWriter()
    writer.varint(1, UInt64(buffer))
    var reader = ProtobufReader(pixels)
    while let field = try reader.next() {
      switch (field.number, field.value) {
      // Format, width, height, stride.
      case (1...4, .varint(let value)): writer.present(field.number + 2, value)
      case (5, .bytes(let data)): writer.present(2, UInt64(move(data)))
      // Chroma planes, colour.
      case (6, .bytes(let plane)): writer.bytes(7, plane)
      case (7, .varint(let colour)): writer.present(8, colour)
      // Shared pixels have other numbers, so what an unknown field means there is not known.
      default: return nil
      }
      guard writer.bytes.readableBytes <= limit else { return nil }
    }
    return writer.bytes
  }

  /// Appends bytes to the contents; returns where they begin.
  private mutating func move(_ bytes: ByteBuffer) -> Int {
    defer { byteCount += bytes.readableBytes }
    contents.append(bytes)
    return byteCount
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
