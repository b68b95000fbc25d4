import CProtocol
import FaceCore

/// `Pixels` ↔ `ImageView`, and `SharedPixels` ↔ the value of that name.
enum PixelsCoding {
  /// The message points into the memory of `view` when that has one plane; several are copied, one after the other.
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
    shared.pointee.format = Faceengine__V1__PixelFormat(UInt32(part.format.rawValue))
    shared.pointee.width = part.width
    shared.pointee.height = part.height
    shared.pointee.stride = part.stride
    shared.pointee.colour = Faceengine__V1__YuvColour(UInt32(part.colour.rawValue))
    (shared.pointee.n_chroma, shared.pointee.chroma) = encode(part.chroma, arena)
    return shared
  }

  private static func encode(
    _ chroma: [ChromaPlane], _ arena: Arena
  ) -> (Int, UnsafeMutablePointer<UnsafeMutablePointer<Faceengine__V1__Plane>?>) {
    arena.list(chroma) { plane in
      let message = arena.message(Faceengine__V1__Plane.self)
      message.pointee.offset = plane.offset
      message.pointee.stride = plane.stride
      return message
    }
  }

  static func binary(_ bytes: UnsafeRawBufferPointer) -> ProtobufCBinaryData {
    // protobuf-c only reads from it when it packs.
    let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
    return ProtobufCBinaryData(len: bytes.count, data: start?.assumingMemoryBound(to: UInt8.self))
  }

  /// Borrows the message's memory. Throws `invalidArgument` or `outOfRange`.
  static func decode(_ pixels: Faceengine__V1__Pixels) throws(Status) -> ImageView {
    let field: StaticString = "image.pixels"
    let bytes = UnsafeRawBufferPointer(start: pixels.data.data, count: pixels.data.len)
    let layout = PixelLayout(
      format: try format(pixels.format, field), width: pixels.width, height: pixels.height,
      stride: pixels.stride, colour: try colour(pixels.colour, field),
      chroma: chroma(pixels.chroma, pixels.n_chroma))
    do throws(Status) {
      return try layout.view(of: bytes)
    } catch {
      throw Status(error.code, error.message, .field("\(field)"))
    }
  }

  static func decode(_ shared: Faceengine__V1__SharedPixels) throws(Status) -> SharedPixels {
    let field: StaticString = "image.shared_pixels"
    return SharedPixels(
      buffer: shared.buffer, offset: shared.offset, format: try format(shared.format, field),
      width: shared.width, height: shared.height, stride: shared.stride,
      colour: try colour(shared.colour, field), chroma: chroma(shared.chroma, shared.n_chroma))
  }

  private static func chroma(
    _ planes: UnsafeMutablePointer<UnsafeMutablePointer<Faceengine__V1__Plane>?>?, _ count: Int
  ) -> [ChromaPlane] {
    UnsafeBufferPointer(start: planes, count: count).compactMap { plane in
      plane.map { ChromaPlane(offset: $0.pointee.offset, stride: $0.pointee.stride) }
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
