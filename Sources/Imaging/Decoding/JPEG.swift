import CTurboJPEG
import FaceCore

/// JPEG through TurboJPEG.
enum JPEG {
  static func decode(_ file: UnsafeRawBufferPointer) throws(Status) -> Bitmap {
    guard let handle = tjInitDecompress() else {
      throw Status(.resourceExhausted, "no memory to start the JPEG decoder; try again when some is free")
    }
    defer { tjDestroy(handle) }
    let bytes = file.bindMemory(to: UInt8.self)

    var width: Int32 = 0
    var height: Int32 = 0
    var subsampling: Int32 = 0
    var colourSpace: Int32 = -1
    // The code is that of failure for warnings and for samplings without a name, too: a header that was read in full
    // is known by its values. It is success for a file of tables without a picture.
    let header = tjDecompressHeader3(
      handle, bytes.baseAddress, UInt(bytes.count), &width, &height, &subsampling, &colourSpace)
    guard width > 0, height > 0, colourSpace >= 0 else {
      throw damaged(header == 0 ? "it has no picture" : reason(handle))
    }
    try ImageLimits.check(width: Int(width), height: Int(height))
    guard colourSpace != TJCS_CMYK.rawValue, colourSpace != TJCS_YCCK.rawValue else {
      throw Status(.unimplemented, "JPEG is in CMYK, for print; convert it to RGB first")
    }

    let bitmap = try Bitmap(size: PixelSize(width: Int(width), height: Int(height)))
    // A few bytes a scan must not buy minutes of decoding.
    let result = tjDecompress2(
      handle, bytes.baseAddress, UInt(bytes.count), bitmap.pixels.baseAddress, width, Int32(bitmap.stride),
      height, Int32(TJPF_BGRA.rawValue), TJFLAG_LIMITSCANS)
    guard result == 0 || isHarmless(handle, file) else { throw damaged(reason(handle)) }
    return bitmap
  }

  /// Cameras write files that draw a warning and decode in full; missing or wrong data makes the picture wrong.
  ///
  /// TurboJPEG tells the first warning only, so a harmless one is believed of a file that has its end.
  private static func isHarmless(_ handle: tjhandle, _ file: UnsafeRawBufferPointer) -> Bool {
    guard tjGetErrorCode(handle) == TJERR_WARNING.rawValue else { return false }
    let warning = reason(handle)
    return !harmful.contains { warning.contains($0) } && JPEGSegments.hasEnd(file)
  }

  /// Source: libjpeg, jerror.h: JWRN_JPEG_EOF and JWRN_HIT_MARKER, JWRN_HUFF_BAD_CODE, JWRN_MUST_RESYNC.
  private static let harmful = ["remature end", "bad Huffman code", "instead of RST"]

  private static func damaged(_ reason: String) -> Status {
    Status(.invalidArgument, "JPEG is damaged or cut short (\(reason)); send the whole file again")
  }

  private static func reason(_ handle: tjhandle) -> String {
    guard let text = tjGetErrorStr2(handle) else { return "no reason given" }
    return String(cString: text)
  }
}
