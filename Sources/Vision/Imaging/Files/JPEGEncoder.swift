import CPictureDecoders
public import FaceCore

import func Glibc.free

/// Encodes pixels as JPEG files, without chroma subsampling.
public enum JPEGEncoder {
  /// The qualities that are tried: the best that is still much smaller than the pixels, then lower ones.
  private static let qualities: [Int32] = [95, 88, 78, 65, 50, 35, 20, 8]

  /// Returns a whole file: of quality 95, or of the best that takes no more than `maxBytes`. Throws
  /// `resourceExhausted` when none does, or without memory.
  public static func encode(_ bitmap: borrowing Bitmap, maxBytes: Int) throws(Status) -> [UInt8] {
    for quality in qualities {
      var file: UnsafeMutablePointer<UInt8>?
      defer { free(file) }
      var size = 0
      let status = picture_encode_jpeg(
        bitmap.pixels.baseAddress, UInt32(bitmap.size.width), UInt32(bitmap.size.height), bitmap.stride,
        quality,
        &file, &size)
      guard status == PICTURE_DONE, let file else { throw noMemory }
      if size <= maxBytes { return Array(UnsafeBufferPointer(start: file, count: size)) }
    }
    throw Status(
      .resourceExhausted,
      "the picture of \(bitmap.size.width)×\(bitmap.size.height) pixels does not fit in \(maxBytes) bytes; use a smaller one"
    )
  }

  private static let noMemory = Status(
    .resourceExhausted, "no memory to encode a JPEG; try again when some is free")
}
