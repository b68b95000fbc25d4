import CPNG
import FaceCore

/// PNG of every bit depth and colour type, through libpng's simplified interface.
enum PNG {
  static func size(of file: UnsafeRawBufferPointer) throws(Status) -> PixelSize {
    var image = png_image()
    defer { png_image_free(&image) }
    return try readHeader(&image, file)
  }

  static func decode(_ file: UnsafeRawBufferPointer) throws(Status) -> Bitmap {
    var image = png_image()
    defer { png_image_free(&image) }
    let size = try readHeader(&image, file)

    // Sixteen bits without a gamma chunk: sRGB as any other picture, not linear as libpng assumes.
    image.flags |= png_uint_32(PNG_IMAGE_FLAG_16BIT_sRGB)
    // Without an alpha channel libpng composites onto the given colour: white, as paper.
    image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_BGR)
    let colours = try HeapMemory(byteCount: size.width * size.height * 3)
    var white = png_color(red: 255, green: 255, blue: 255)
    guard
      png_image_finish_read(&image, &white, colours.bytes.baseAddress, png_int_32(size.width * 3), nil) != 0
    else {
      throw damaged(image)
    }
    let view = try ImageView(
      format: .bgr, width: size.width, height: size.height, bytes: UnsafeRawBufferPointer(colours.bytes))
    return try PixelConverter.bitmap(from: view)
  }

  /// With its transparency; colours are not multiplied by it.
  static func decodeWithAlpha(_ file: UnsafeRawBufferPointer) throws(Status) -> Bitmap {
    var image = png_image()
    defer { png_image_free(&image) }
    let bitmap = try Bitmap(size: try readHeader(&image, file))
    image.flags |= png_uint_32(PNG_IMAGE_FLAG_16BIT_sRGB)
    image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_BGR | PNG_FORMAT_FLAG_ALPHA)
    guard
      png_image_finish_read(&image, nil, bitmap.pixels.baseAddress, png_int_32(bitmap.stride), nil) != 0
    else { throw damaged(image) }
    return bitmap
  }

  private static func readHeader(
    _ image: inout png_image, _ file: UnsafeRawBufferPointer
  ) throws(Status) -> PixelSize {
    image.version = png_uint_32(PNG_IMAGE_VERSION)
    guard png_image_begin_read_from_memory(&image, file.baseAddress, file.count) != 0 else {
      throw damaged(image)
    }
    try ImageLimits.checkHeld(width: Int(image.width), height: Int(image.height))
    return PixelSize(width: Int(image.width), height: Int(image.height))
  }

  private static func damaged(_ image: png_image) -> Status {
    let reason = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return Status(.invalidArgument, "PNG is damaged or cut short (\(reason)); send the whole file again")
  }
}

/// The chunk layout of a PNG file: 8-byte signature, then length, name, data, check sum.
enum PNGChunks {
  static func find(_ name: String, in file: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
    var offset = 8
    while offset <= file.count - 12 {
      let length = Int(UInt32(bigEndian: file.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      let data = offset + 8
      guard length <= file.count - data - 4 else { return nil }
      if file[offset + 4..<data].elementsEqual(name.utf8) { return file[data..<data + length] }
      offset = data + length + 4
    }
    return nil
  }
}
