import CProtocol
import FaceCore

/// Messages point into memory borrowed by the image, and decoded images into that of their message.
extension MessageImage: WireValue {
  func encode(into image: inout Faceengine__V1__Image, _ arena: Arena) {
    switch source {
    case .encoded(let bytes):
      image.source_case = FACEENGINE__V1__IMAGE__SOURCE_ENCODED
      image.encoded = binary(bytes)
    case .pixels(let view):
      image.source_case = FACEENGINE__V1__IMAGE__SOURCE_PIXELS
      image.pixels = arena.message(view)
    case .sharedEncoded(let part):
      image.source_case = FACEENGINE__V1__IMAGE__SOURCE_SHARED_ENCODED
      image.shared_encoded = arena.message(part)
    case .sharedPixels(let part):
      image.source_case = FACEENGINE__V1__IMAGE__SOURCE_SHARED_PIXELS
      image.shared_pixels = arena.message(part)
    }
    if let orientation { image.orientation = .init(UInt32(orientation.rawValue)) }
    image.mirrored = isMirrored ? 1 : 0
    if pixelAspect != 1 { image.pixel_aspect = pixelAspect }
    image.region = arena.optional(region)
  }

  /// - Parameter file: the size of the file that is sent behind the message, in place of the source.
  func message(before file: Int?, _ arena: Arena) -> UnsafePointer<ProtobufCMessage> {
    let image = arena.message(self)
    if file != nil { image.pointee.source_case = FACEENGINE__V1__IMAGE__SOURCE__NOT_SET }
    return image.base
  }

  /// Throws `invalidArgument` or `outOfRange`, naming the field.
  init(decoding message: Faceengine__V1__Image) throws(Status) {
    self.init(try MessageImage.source(message))
    if message.orientation.rawValue != 0 {
      orientation = try Decoder.known(
        message.orientation.rawValue, "image.orientation", send: "1 to 8, the numbers of EXIF, or none")
    }
    isMirrored = message.mirrored != 0
    region = try MessageImage.region(message.region?.pointee)
    pixelAspect = try ImageInput.pixelAspect(message.pixel_aspect, "image.pixel_aspect")
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
      if let pixels = image.pixels?.pointee { return .pixels(try ImageView(decoding: pixels)) }
    case FACEENGINE__V1__IMAGE__SOURCE_SHARED_ENCODED:
      guard let shared = image.shared_encoded?.pointee else { break }
      guard shared.size > 0 else {
        throw Status(
          .invalidArgument, "image.shared_encoded.size is 0; give the size of a JPEG, PNG or WebP file",
          .field("image.shared_encoded.size"))
      }
      return .sharedEncoded(try SharedBytes(decoding: shared))
    case FACEENGINE__V1__IMAGE__SOURCE_SHARED_PIXELS:
      if let shared = image.shared_pixels?.pointee {
        return .sharedPixels(try SharedPixels(decoding: shared))
      }
    default: break
    }
    throw Status(
      .invalidArgument,
      "image has neither encoded bytes nor pixels; send one of them, or name a buffer that has them",
      .field("image"))
  }

  private static func region(_ message: Faceengine__V1__Box?) throws(Status) -> Box? {
    guard let message else { return nil }
    let region = try Box(decoding: message, "image.region")
    guard region.width > 0, region.height > 0 else {
      throw Status(
        .invalidArgument,
        "image.region is \(region.width)×\(region.height) pixels; give a width and a height above 0, or no region",
        .field("image.region"))
    }
    return region
  }
}

/// The message points into the memory of a view that has one plane; several are copied, one after the other.
extension ImageView: WireValue {
  func encode(into pixels: inout Faceengine__V1__Pixels, _ arena: Arena) {
    pixels.format = .init(UInt32(format.rawValue))
    pixels.width = UInt32(size.width)
    pixels.height = UInt32(size.height)
    pixels.stride = UInt32(clamping: stride)
    pixels.colour = .init(UInt32(colour.rawValue))
    if planeCount == 1 {
      pixels.data = binary(UnsafeRawBufferPointer(rebasing: bytes.prefix(usedBytes(plane: 0))))
    } else {
      let data = UnsafeMutableRawBufferPointer(
        start: arena.allocate(UInt8.self, count: usedBytes), count: usedBytes)
      pixels.data = binary(UnsafeRawBufferPointer(data))
      (pixels.n_chroma, pixels.chroma) = arena.list(copyPlanes(into: data))
    }
  }

  /// Throws `invalidArgument` or `outOfRange`.
  init(decoding pixels: Faceengine__V1__Pixels) throws(Status) {
    let layout = PixelLayout(
      format: try PixelFormat(decoding: pixels.format, "image.pixels.format"), width: Int(pixels.width),
      height: Int(pixels.height), stride: Int(pixels.stride),
      colour: try YUVColour(decoding: pixels.colour, "image.pixels.colour"),
      chroma: try Decoder.list(pixels.chroma, pixels.n_chroma))
    do throws(Status) {
      self = try layout.view(of: UnsafeRawBufferPointer(start: pixels.data.data, count: pixels.data.len))
    } catch {
      throw Status(error.code, error.message, .field("image.pixels"))
    }
  }
}

extension SharedPixels: WireValue {
  func encode(into shared: inout Faceengine__V1__SharedPixels, _ arena: Arena) {
    shared.buffer = buffer
    shared.offset = offset
    shared.format = .init(UInt32(layout.format.rawValue))
    shared.width = UInt32(clamping: layout.size.width)
    shared.height = UInt32(clamping: layout.size.height)
    shared.stride = UInt32(clamping: layout.stride)
    shared.colour = .init(UInt32(layout.colour.rawValue))
    (shared.n_chroma, shared.chroma) = arena.list(layout.chroma)
  }

  init(decoding shared: Faceengine__V1__SharedPixels) throws(Status) {
    let layout = PixelLayout(
      format: try PixelFormat(decoding: shared.format, "image.shared_pixels.format"),
      width: Int(shared.width), height: Int(shared.height), stride: Int(shared.stride),
      colour: try YUVColour(decoding: shared.colour, "image.shared_pixels.colour"),
      chroma: try Decoder.list(shared.chroma, shared.n_chroma))
    self.init(buffer: shared.buffer, offset: shared.offset, layout)
  }
}

// generated: swift-coding SharedBytes SharedBytes
extension SharedBytes: WireValue {
  func encode(into message: inout Faceengine__V1__SharedBytes, _ arena: Arena) {
    message.buffer = UInt32(clamping: buffer)
    message.offset = UInt64(clamping: offset)
    message.size = UInt64(clamping: size)
  }

  init(decoding message: Faceengine__V1__SharedBytes) throws(Status) {
    self.init(
      buffer: .init(clamping: message.buffer),
      offset: .init(clamping: message.offset),
      size: .init(clamping: message.size))
  }
}
// end of generated

// generated: swift-coding PixelLayout.Plane Plane
extension PixelLayout.Plane: WireValue {
  func encode(into message: inout Faceengine__V1__Plane, _ arena: Arena) {
    message.offset = UInt64(clamping: offset)
    message.stride = UInt32(clamping: stride)
  }

  init(decoding message: Faceengine__V1__Plane) throws(Status) {
    self.init(
      offset: .init(clamping: message.offset),
      stride: .init(clamping: message.stride))
  }
}
// end of generated

private func binary(_ bytes: UnsafeRawBufferPointer) -> ProtobufCBinaryData {
  // protobuf-c only reads this memory when it packs.
  let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
  return ProtobufCBinaryData(len: bytes.count, data: start?.assumingMemoryBound(to: UInt8.self))
}

extension PixelFormat {
  fileprivate init(decoding number: Faceengine__V1__PixelFormat, _ field: StaticString) throws(Status) {
    self = try Decoder.known(
      number.rawValue, field,
      send: "one of \(PixelFormat.allCases.map { "\($0.name)" }.joined(separator: ", "))")
  }
}

extension YUVColour {
  fileprivate init(decoding number: Faceengine__V1__YuvColour, _ field: StaticString) throws(Status) {
    self = try Decoder.known(number.rawValue, field, send: "a number of YuvColour, 0 to 3")
  }
}
