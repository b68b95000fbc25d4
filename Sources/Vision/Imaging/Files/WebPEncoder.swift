import CWebP
public import FaceCore

/// Encodes pixels as lossy WebP files through libwebp.
public enum WebPEncoder {
  /// Returns a whole file. Throws `outOfRange` for a picture too large for the format, and `resourceExhausted` without
  /// memory.
  /// - Parameters:
  ///   - quality: 1 to 100.
  ///   - hasAlpha: whether the fourth byte of a pixel is alpha, by which its colours are not multiplied.
  ///   - metadata: its profile is written to the file; a WebP has no resolution.
  public static func encode(
    _ bitmap: borrowing Bitmap, quality: Int, hasAlpha: Bool = false,
    _ metadata: PictureMetadata = PictureMetadata()
  ) throws(Status) -> [UInt8] {
    guard max(bitmap.size.width, bitmap.size.height) <= WEBP_MAX_DIMENSION else {
      throw Status(
        .outOfRange,
        "a WebP has at most \(WEBP_MAX_DIMENSION) pixels a side, and the picture is "
          + "\(bitmap.size.width)×\(bitmap.size.height); save it as PNG or JPEG")
    }
    var config = WebPConfig()
    var picture = WebPPicture()
    guard WebPConfigInit(&config) != 0, WebPPictureInit(&picture) != 0 else {
      throw Status(.internal, "libwebp has the wrong version; install the one of this release")
    }
    config.quality = Float(quality)
    picture.width = Int32(bitmap.size.width)
    picture.height = Int32(bitmap.size.height)
    var writer = WebPMemoryWriter()
    WebPMemoryWriterInit(&writer)
    defer {
      WebPMemoryWriterClear(&writer)
      WebPPictureFree(&picture)
    }
    picture.writer = WebPMemoryWrite
    let (source, stride) = (bitmap.pixels.baseAddress, Int32(bitmap.stride))
    let file = try withUnsafeMutablePointer(to: &writer) { (writer) throws(Status) in
      picture.custom_ptr = UnsafeMutableRawPointer(writer)
      guard
        (hasAlpha
          ? WebPPictureImportBGRA(&picture, source, stride) : WebPPictureImportBGRX(&picture, source, stride))
          != 0,
        WebPEncode(&config, &picture) != 0
      else {
        throw Status(.resourceExhausted, "no memory to encode a WebP; free some memory and try again")
      }
      return Array(UnsafeBufferPointer(start: writer.pointee.mem, count: writer.pointee.size))
    }
    return metadata.profile.isEmpty ? file : adding(metadata.profile, to: file, bitmap.size, hasAlpha)
  }

  /// Returns a file with an ICC profile. libwebpmux would be a library for these bytes alone.
  /// Source: WebP Container Specification, "Extended File Format" and "Color Profile".
  private static func adding(_ profile: [UInt8], to file: [UInt8], _ size: PixelSize, _ hasAlpha: Bool)
    -> [UInt8]
  {
    func number(_ value: Int, bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 0xFF) } }
    func chunk(_ name: StaticString, _ data: [UInt8]) -> [UInt8] {
      let letters = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
      return letters + number(data.count, bytes: 4) + data + Array(repeating: 0, count: data.count % 2)
    }
    let (riff, header, flags) = (12, 18, UInt8(hasAlpha ? 0x30 : 0x20))
    let hasHeader = file[riff..<riff + 4].elementsEqual("VP8X".utf8)
    let content =
      chunk("VP8X", [flags, 0, 0, 0] + number(size.width - 1, bytes: 3) + number(size.height - 1, bytes: 3))
      + chunk("ICCP", profile) + file[(hasHeader ? riff + header : riff)...]
    return file[..<4] + number(4 + content.count, bytes: 4) + Array("WEBP".utf8) + content
  }
}
