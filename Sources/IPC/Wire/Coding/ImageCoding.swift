import CProtocol
import FaceCore

/// `Image` ↔ `MessageImage`.
enum ImageCoding {
  /// The message points into memory borrowed by `input`.
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
    if input.pixelAspect != 1 { image.pointee.pixel_aspect = input.pixelAspect }
    if let region = input.region { image.pointee.region = BoxCoding.encode(region, arena) }
    return image
  }

  /// Borrows the message's memory. Throws `invalidArgument` or `outOfRange`, naming the field.
  static func decode(_ message: Faceengine__V1__Image) throws(Status) -> MessageImage {
    var image = MessageImage(
      try source(message), orientation: try orientation(message.orientation.rawValue))
    image.isMirrored = message.mirrored != 0
    image.region = try region(message.region?.pointee)
    image.pixelAspect = try ImageInput.pixelAspect(message.pixel_aspect, "image.pixel_aspect")
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

/// `Pixels` ↔ `ImageView`, and `SharedPixels` ↔ the value of that name.
enum PixelsCoding {
  /// Encodes pixels. The message points into the memory of `view` if that has one plane; several are copied,
  /// one after the other.
  static func encode(_ view: ImageView, _ arena: Arena) -> UnsafeMutablePointer<Faceengine__V1__Pixels> {
    let pixels = arena.message(Faceengine__V1__Pixels.self)
    pixels.pointee.format = Faceengine__V1__PixelFormat(UInt32(view.format.rawValue))
    pixels.pointee.width = UInt32(view.size.width)
    pixels.pointee.height = UInt32(view.size.height)
    pixels.pointee.stride = UInt32(clamping: view.stride)
    pixels.pointee.colour = Faceengine__V1__YuvColour(UInt32(view.colour.rawValue))
    if view.planeCount == 1 {
      pixels.pointee.data = binary(
        UnsafeRawBufferPointer(rebasing: view.bytes.prefix(view.usedBytes(plane: 0))))
    } else {
      let data = UnsafeMutableRawBufferPointer(
        start: arena.allocate(UInt8.self, count: view.usedBytes), count: view.usedBytes)
      pixels.pointee.data = binary(UnsafeRawBufferPointer(data))
      (pixels.pointee.n_chroma, pixels.pointee.chroma) = encode(view.copyPlanes(into: data), arena)
    }
    return pixels
  }

  static func encode(
    _ part: SharedPixels, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__SharedPixels> {
    let shared = arena.message(Faceengine__V1__SharedPixels.self)
    shared.pointee.buffer = part.buffer
    shared.pointee.offset = part.offset
    let layout = part.layout
    shared.pointee.format = Faceengine__V1__PixelFormat(UInt32(layout.format.rawValue))
    shared.pointee.width = UInt32(clamping: layout.size.width)
    shared.pointee.height = UInt32(clamping: layout.size.height)
    shared.pointee.stride = UInt32(clamping: layout.stride)
    shared.pointee.colour = Faceengine__V1__YuvColour(UInt32(layout.colour.rawValue))
    (shared.pointee.n_chroma, shared.pointee.chroma) = encode(layout.chroma, arena)
    return shared
  }

  private static func encode(
    _ chroma: [PixelLayout.Plane], _ arena: Arena
  ) -> (Int, UnsafeMutablePointer<UnsafeMutablePointer<Faceengine__V1__Plane>?>) {
    arena.list(chroma) { plane in
      let message = arena.message(Faceengine__V1__Plane.self)
      message.pointee.offset = plane.offset
      message.pointee.stride = UInt32(clamping: plane.stride)
      return message
    }
  }

  static func binary(_ bytes: UnsafeRawBufferPointer) -> ProtobufCBinaryData {
    // protobuf-c only reads this memory when it packs.
    let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
    return ProtobufCBinaryData(len: bytes.count, data: start?.assumingMemoryBound(to: UInt8.self))
  }

  /// Borrows the message's memory. Throws `invalidArgument` or `outOfRange`.
  static func decode(_ pixels: Faceengine__V1__Pixels) throws(Status) -> ImageView {
    let field: StaticString = "image.pixels"
    let bytes = UnsafeRawBufferPointer(start: pixels.data.data, count: pixels.data.len)
    let layout = PixelLayout(
      format: try format(pixels.format, field), width: Int(pixels.width), height: Int(pixels.height),
      stride: Int(pixels.stride), colour: try colour(pixels.colour, field),
      chroma: chroma(pixels.chroma, pixels.n_chroma))
    do throws(Status) {
      return try layout.view(of: bytes)
    } catch {
      throw Status(error.code, error.message, .field("\(field)"))
    }
  }

  static func decode(_ shared: Faceengine__V1__SharedPixels) throws(Status) -> SharedPixels {
    let field: StaticString = "image.shared_pixels"
    let layout = PixelLayout(
      format: try format(shared.format, field), width: Int(shared.width), height: Int(shared.height),
      stride: Int(shared.stride), colour: try colour(shared.colour, field),
      chroma: chroma(shared.chroma, shared.n_chroma))
    return SharedPixels(buffer: shared.buffer, offset: shared.offset, layout)
  }

  private static func chroma(
    _ planes: UnsafeMutablePointer<UnsafeMutablePointer<Faceengine__V1__Plane>?>?, _ count: Int
  ) -> [PixelLayout.Plane] {
    UnsafeBufferPointer(start: planes, count: count).compactMap { plane in
      plane.map { PixelLayout.Plane(offset: $0.pointee.offset, stride: Int($0.pointee.stride)) }
    }
  }

  private static func format(
    _ value: Faceengine__V1__PixelFormat, _ field: StaticString
  ) throws(Status) -> PixelFormat {
    guard let byte = UInt8(exactly: value.rawValue), let format = PixelFormat(rawValue: byte) else {
      let names = PixelFormat.allCases.map { "\($0.name)" }.joined(separator: ", ")
      throw Status(
        .invalidArgument, "\(field).format is \(Int32(bitPattern: value.rawValue)); send one of \(names)",
        .field("\(field).format"))
    }
    return format
  }

  private static func colour(
    _ value: Faceengine__V1__YuvColour, _ field: StaticString
  ) throws(Status) -> YUVColour {
    guard let byte = UInt8(exactly: value.rawValue), let colour = YUVColour(rawValue: byte) else {
      throw Status(
        .invalidArgument,
        "\(field).colour is \(Int32(bitPattern: value.rawValue)); send 0 to 3, as YuvColour has",
        .field("\(field).colour"))
    }
    return colour
  }
}
