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
      image.pointee.encoded = PixelsCoding.binary(bytes)
    case .pixels(let view):
      image.pointee.source_case = FACEENGINE__V1__IMAGE__SOURCE_PIXELS
      image.pointee.pixels = PixelsCoding.encode(view, arena)
    case .sharedEncoded(let part):
      let shared = arena.message(Faceengine__V1__SharedBytes.self)
      shared.pointee.buffer = part.buffer
      shared.pointee.offset = part.offset
      shared.pointee.size = part.size
      image.pointee.source_case = FACEENGINE__V1__IMAGE__SOURCE_SHARED_ENCODED
      image.pointee.shared_encoded = shared
    case .sharedPixels(let part):
      image.pointee.source_case = FACEENGINE__V1__IMAGE__SOURCE_SHARED_PIXELS
      image.pointee.shared_pixels = PixelsCoding.encode(part, arena)
    }
    if let orientation = input.orientation {
      image.pointee.orientation = Faceengine__V1__Orientation(UInt32(orientation.rawValue))
    }
    image.pointee.mirrored = input.isMirrored ? 1 : 0
    if let region = input.region { image.pointee.region = BoxCoding.encode(region, arena) }
    return image
  }

  /// Borrows the message's memory. Throws `invalidArgument` or `outOfRange`, naming the field.
  static func decode(_ message: Faceengine__V1__Image) throws(Status) -> MessageImage {
    var image = MessageImage(
      try source(message), orientation: try orientation(message.orientation.rawValue))
    image.isMirrored = message.mirrored != 0
    image.region = try region(message.region?.pointee)
    return image
  }

  private static func source(_ image: Faceengine__V1__Image) throws(Status) -> MessageImage.Source {
    switch image.source_case {
    case FACEENGINE__V1__IMAGE__SOURCE_ENCODED:
      guard image.encoded.len > 0 else {
        throw Status(
          .invalidArgument, "image.encoded is empty; send a whole JPEG, PNG or WebP file",
          .field("image.encoded"))
      }
      return .encoded(UnsafeRawBufferPointer(start: image.encoded.data, count: image.encoded.len))
    case FACEENGINE__V1__IMAGE__SOURCE_PIXELS:
      if let pixels = image.pixels?.pointee { return .pixels(try PixelsCoding.decode(pixels)) }
    case FACEENGINE__V1__IMAGE__SOURCE_SHARED_ENCODED:
      guard let shared = image.shared_encoded?.pointee else { break }
      guard shared.size > 0 else {
        throw Status(
          .invalidArgument, "image.shared_encoded.size is 0; give the size of a JPEG, PNG or WebP file",
          .field("image.shared_encoded.size"))
      }
      return .sharedEncoded(SharedBytes(buffer: shared.buffer, offset: shared.offset, size: shared.size))
    case FACEENGINE__V1__IMAGE__SOURCE_SHARED_PIXELS:
      if let shared = image.shared_pixels?.pointee { return .sharedPixels(try PixelsCoding.decode(shared)) }
    default: break
    }
    throw Status(
      .invalidArgument,
      "image has neither encoded bytes nor pixels; send one of them, or name a buffer that has them",
      .field("image"))
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

  private static func region(_ message: Faceengine__V1__Box?) throws(Status) -> Box? {
    guard let message else { return nil }
    let region = try BoxCoding.decode(message, "image.region")
    guard region.width > 0, region.height > 0 else {
      throw Status(
        .invalidArgument,
        "image.region is \(region.width)×\(region.height) pixels; give a width and a height above 0, or no region",
        .field("image.region"))
    }
    return region
  }
}
