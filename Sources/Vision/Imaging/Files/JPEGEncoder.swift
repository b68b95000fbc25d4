import CPictureDecoders
public import FaceCore

import func Glibc.free

/// Encodes pixels as JPEG files, without chroma subsampling.
public enum JPEGEncoder {
  /// The qualities that are tried: the best that is still much smaller than the pixels, then lower ones.
  private static let qualities = [95, 88, 78, 65, 50, 35, 20, 8]

  /// Returns a whole file: of quality 95, or of the best that takes no more than `maxBytes`. Throws
  /// `resourceExhausted` when none does, or without memory.
  public static func encode(_ bitmap: borrowing Bitmap, maxBytes: Int) throws(Status) -> [UInt8] {
    for quality in qualities {
      if let file = try encode(bitmap, quality: quality, PictureMetadata(), maxBytes: maxBytes) {
        return file
      }
    }
    throw Status(
      .resourceExhausted,
      "the picture of \(bitmap.size.width)×\(bitmap.size.height) pixels does not fit in \(maxBytes) bytes; use a smaller one"
    )
  }

  /// Returns a whole file of a quality from 1 to 100. Throws `resourceExhausted` without memory.
  /// - Parameter metadata: written to the file.
  public static func encode(
    _ bitmap: borrowing Bitmap, quality: Int, _ metadata: PictureMetadata = PictureMetadata()
  ) throws(Status) -> [UInt8] {
    guard let file = try encode(bitmap, quality: quality, metadata, maxBytes: .max) else { throw noMemory }
    return file
  }

  /// - Returns: `nil` for a file of more than `maxBytes`.
  private static func encode(
    _ bitmap: borrowing Bitmap, quality: Int, _ metadata: PictureMetadata, maxBytes: Int
  ) throws(Status) -> [UInt8]? {
    var file: UnsafeMutablePointer<UInt8>?
    defer { free(file) }
    var size = 0
    let pixels = picture_pixels(bitmap)
    let status = metadata.withDescription {
      picture_encode_jpeg(pixels, $0, Int32(quality), &file, &size)
    }
    guard status == PICTURE_DONE, let file else { throw noMemory }
    return size <= maxBytes ? Array(UnsafeBufferPointer(start: file, count: size)) : nil
  }

  private static let noMemory = Status(
    .resourceExhausted, "no memory to encode a JPEG; free some memory and try again")
}
