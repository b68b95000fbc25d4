import CTurboJPEG
public import FaceCore

/// Makes JPEG files of pixels, without chroma subsampling.
public enum JPEGEncoder {
  /// The best that is still much smaller than the pixels, then ever less.
  private static let qualities: [Int32] = [95, 88, 78, 65, 50, 35, 20, 8]

  /// A whole file: of quality 95, or of the best that gives no more than `maxBytes`. Throws `resourceExhausted` when none
  /// does, or there is no memory.
  public static func encode(_ bitmap: borrowing Bitmap, maxBytes: Int) throws(Status) -> [UInt8] {
    guard let handle = tjInitCompress() else { throw noMemory("start the JPEG encoder") }
    defer { tjDestroy(handle) }
    for quality in qualities {
      // TurboJPEG makes memory for the file.
      var file: UnsafeMutablePointer<UInt8>?
      defer { tjFree(file) }
      var size: UInt = 0
      let code = tjCompress2(
        handle, bitmap.pixels.baseAddress, Int32(bitmap.size.width), Int32(bitmap.stride),
        Int32(bitmap.size.height), Int32(TJPF_BGRX.rawValue), &file, &size, Int32(TJSAMP_444.rawValue),
        quality, 0)
      guard code == 0, let file else { throw noMemory("encode a JPEG") }
      if size <= UInt(maxBytes) { return Array(UnsafeBufferPointer(start: file, count: Int(size))) }
    }
    throw Status(
      .resourceExhausted,
      "the picture of \(bitmap.size.width)×\(bitmap.size.height) pixels does not fit in \(maxBytes) bytes; use a smaller one"
    )
  }

  private static func noMemory(_ what: StaticString) -> Status {
    Status(.resourceExhausted, "no memory to \(what); try again when some is free")
  }
}
