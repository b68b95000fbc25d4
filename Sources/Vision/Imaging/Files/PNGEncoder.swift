import CPictureDecoders
public import FaceCore

import func Glibc.free

/// Encodes pixels as PNG files through libpng.
public enum PNGEncoder {
  /// Returns a whole file. Throws `resourceExhausted` without memory.
  /// - Parameters:
  ///   - hasAlpha: whether the fourth byte of a pixel is alpha, by which its colours are not multiplied.
  ///   - metadata: written to the file.
  public static func encode(
    _ bitmap: borrowing Bitmap, hasAlpha: Bool = false, _ metadata: PictureMetadata = PictureMetadata()
  ) throws(Status) -> [UInt8] {
    var file: UnsafeMutablePointer<UInt8>?
    defer { free(file) }
    var size = 0
    let pixels = picture_pixels(bitmap, hasAlpha: hasAlpha)
    let status = metadata.withDescription { picture_encode_png(pixels, $0, &file, &size) }
    guard status == PICTURE_DONE, let file else {
      throw Status(.resourceExhausted, "no memory to encode a PNG; free some memory and try again")
    }
    try HeapMemory.require(size, to: "encode a PNG")
    return Array(UnsafeBufferPointer(start: file, count: size))
  }
}

extension picture_pixels {
  init(_ bitmap: borrowing Bitmap, hasAlpha: Bool = false) {
    self.init(
      bgra: bitmap.pixels.baseAddress, width: UInt32(bitmap.size.width), height: UInt32(bitmap.size.height),
      stride: bitmap.stride, has_alpha: hasAlpha)
  }
}

extension PictureMetadata {
  /// Passes the metadata to a function of C.
  func withDescription<Value>(_ body: (UnsafePointer<picture_description>) -> Value) -> Value {
    // A copy, because the description is also one of a file that was read.
    var profile = profile
    return profile.withUnsafeMutableBufferPointer { bytes in
      var description = picture_description(
        profile: bytes.isEmpty ? nil : bytes.baseAddress, profile_size: bytes.count,
        x_per_metre: resolution?.x ?? 0, y_per_metre: resolution?.y ?? 0)
      return body(&description)
    }
  }
}
