import CProtocol
import FaceCore

/// `Image` ↔ `MessageImage`.
enum ImageCoding {
  /// The message points into the memory that `input` borrows.
  static func encode(_ input: MessageImage, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Image> {
    let image = arena.message(Faceengine__V1__Image.self)
    switch input.source {
    case .encoded(let bytes):
      image.pointee.source_case = FACEENGINE__V1__IMAGE__SOURCE_ENCODED
      image.pointee.encoded = binary(bytes)
    case .pixels(let view):
      let pixels = arena.message(Faceengine__V1__Pixels.self)
      pixels.pointee.format = Faceengine__V1__PixelFormat(UInt32(view.format.rawValue))
      pixels.pointee.width = UInt32(view.size.width)
      pixels.pointee.height = UInt32(view.size.height)
      pixels.pointee.stride = UInt32(clamping: view.stride)
      pixels.pointee.data = binary(
        UnsafeRawBufferPointer(rebasing: view.bytes.prefix(view.usedBytes(plane: 0))))
      image.pointee.source_case = FACEENGINE__V1__IMAGE__SOURCE_PIXELS
      image.pointee.pixels = pixels
    case .sharedEncoded(let part):
      let shared = arena.message(Faceengine__V1__SharedBytes.self)
      shared.pointee.buffer = part.buffer
      shared.pointee.offset = part.offset
      shared.pointee.size = part.size
      image.pointee.source_case = FACEENGINE__V1__IMAGE__SOURCE_SHARED_ENCODED
      image.pointee.shared_encoded = shared
    case .sharedPixels(let part):
      let shared = arena.message(Faceengine__V1__SharedPixels.self)
      shared.pointee.buffer = part.buffer
      shared.pointee.offset = part.offset
      shared.pointee.format = Faceengine__V1__PixelFormat(UInt32(part.format.rawValue))
      shared.pointee.width = part.width
      shared.pointee.height = part.height
      shared.pointee.stride = part.stride
      image.pointee.source_case = FACEENGINE__V1__IMAGE__SOURCE_SHARED_PIXELS
      image.pointee.shared_pixels = shared
    }
    if let orientation = input.orientation {
      image.pointee.orientation = Faceengine__V1__Orientation(UInt32(orientation.rawValue))
    }
    return image
  }

  private static func binary(_ bytes: UnsafeRawBufferPointer) -> ProtobufCBinaryData {
    // protobuf-c only reads from it when it packs.
    let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
    return ProtobufCBinaryData(len: bytes.count, data: start?.assumingMemoryBound(to: UInt8.self))
  }

  /// Borrows the message's memory. Throws `invalidArgument` or `outOfRange`, naming the field.
  static func decode(_ image: Faceengine__V1__Image) throws(Status) -> MessageImage {
    let orientation = try orientation(image.orientation.rawValue)
    switch image.source_case {
    case FACEENGINE__V1__IMAGE__SOURCE_ENCODED:
      guard image.encoded.len > 0 else {
        throw Status(
          .invalidArgument, "image.encoded is empty; send a whole JPEG or PNG file", .field("image.encoded"))
      }
      let bytes = UnsafeRawBufferPointer(start: image.encoded.data, count: image.encoded.len)
      return MessageImage(.encoded(bytes), orientation: orientation)
    case FACEENGINE__V1__IMAGE__SOURCE_PIXELS:
      guard let pixels = image.pixels?.pointee else { break }
      return MessageImage(.pixels(try view(pixels)), orientation: orientation)
    case FACEENGINE__V1__IMAGE__SOURCE_SHARED_ENCODED:
      guard let shared = image.shared_encoded?.pointee else { break }
      guard shared.size > 0 else {
        throw Status(
          .invalidArgument, "image.shared_encoded.size is 0; give the size of a JPEG or PNG file",
          .field("image.shared_encoded.size"))
      }
      let part = SharedBytes(buffer: shared.buffer, offset: shared.offset, size: shared.size)
      return MessageImage(.sharedEncoded(part), orientation: orientation)
    case FACEENGINE__V1__IMAGE__SOURCE_SHARED_PIXELS:
      guard let shared = image.shared_pixels?.pointee else { break }
      let part = SharedPixels(
        buffer: shared.buffer, offset: shared.offset, format: try format(shared.format, "shared_pixels"),
        width: shared.width, height: shared.height, stride: shared.stride)
      return MessageImage(.sharedPixels(part), orientation: orientation)
    default: break
    }
    throw Status(
      .invalidArgument,
      "image has neither encoded bytes nor pixels; send one of them, or name a buffer that has them",
      .field("image"))
  }

  private static func view(_ pixels: Faceengine__V1__Pixels) throws(Status) -> ImageView {
    let format = try format(pixels.format, "pixels")
    do throws(Status) {
      return try ImageView(
        format: format, width: Int(pixels.width), height: Int(pixels.height), stride: Int(pixels.stride),
        bytes: UnsafeRawBufferPointer(start: pixels.data.data, count: pixels.data.len))
    } catch {
      throw Status(error.code, error.message, .field("image.pixels"))
    }
  }

  private static func format(
    _ value: Faceengine__V1__PixelFormat, _ field: StaticString
  ) throws(Status) -> PixelFormat {
    guard let byte = UInt8(exactly: value.rawValue), let format = PixelFormat(rawValue: byte) else {
      let names = PixelFormat.allCases.map { "\($0.name)" }.joined(separator: ", ")
      throw Status(
        .invalidArgument,
        "image.\(field).format is \(Int32(bitPattern: value.rawValue)); send one of \(names)",
        .field("image.\(field).format"))
    }
    return format
  }

  private static func orientation(_ value: UInt32) throws(Status) -> Orientation? {
    if value == 0 { return nil }
    guard let byte = UInt8(exactly: value), let orientation = Orientation(rawValue: byte) else {
      throw Status(
        .invalidArgument,
        "image.orientation is \(Int32(bitPattern: value)); send 1 to 8 as EXIF has, or none",
        .field("image.orientation")
      )
    }
    return orientation
  }
}
