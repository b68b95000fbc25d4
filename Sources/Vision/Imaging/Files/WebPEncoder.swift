import CWebP
public import FaceCore

/// Encodes pixels as lossy WebP files through libwebp.
public enum WebPEncoder {
  /// Returns a whole file without transparency. Throws `outOfRange` for a picture too large for the format, and
  /// `resourceExhausted` without memory.
  /// - Parameter quality: 1 to 100.
  public static func encode(_ bitmap: borrowing Bitmap, quality: Int) throws(Status) -> [UInt8] {
    guard max(bitmap.size.width, bitmap.size.height) <= WEBP_MAX_DIMENSION else {
      throw Status(
        .outOfRange,
        "a WebP has at most \(WEBP_MAX_DIMENSION) pixels a side, and the picture is "
          + "\(bitmap.size.width)×\(bitmap.size.height); save it as PNG or JPEG")
    }
    var config = WebPConfig()
    var picture = WebPPicture()
    guard WebPConfigInit(&config) != 0, WebPPictureInit(&picture) != 0 else {
      throw Status(.internal, "libwebp is of another version; install the one of this release")
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
    return try withUnsafeMutablePointer(to: &writer) { (writer) throws(Status) in
      picture.custom_ptr = UnsafeMutableRawPointer(writer)
      guard WebPPictureImportBGRX(&picture, bitmap.pixels.baseAddress, Int32(bitmap.stride)) != 0,
        WebPEncode(&config, &picture) != 0
      else {
        throw Status(.resourceExhausted, "no memory to encode a WebP; free some memory and try again")
      }
      return Array(UnsafeBufferPointer(start: writer.pointee.mem, count: writer.pointee.size))
    }
  }
}
