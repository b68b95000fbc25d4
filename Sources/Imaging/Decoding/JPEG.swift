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
    var colourSpace: Int32 = 0
    let header = tjDecompressHeader3(
      handle, bytes.baseAddress, UInt(bytes.count), &width, &height, &subsampling, &colourSpace)
    // A file cut inside its header may give success and no size.
    guard header == 0, width > 0, height > 0 else { throw damaged(handle) }
    try ImageLimits.check(width: Int(width), height: Int(height))
    guard colourSpace != TJCS_CMYK.rawValue, colourSpace != TJCS_YCCK.rawValue else {
      throw Status(.unimplemented, "JPEG is in CMYK, for print; convert it to RGB first")
    }

    let bitmap = Bitmap(size: PixelSize(width: Int(width), height: Int(height)))
    let result = tjDecompress2(
      handle, bytes.baseAddress, UInt(bytes.count), bitmap.pixels.baseAddress, width, Int32(bitmap.stride),
      height, Int32(TJPF_BGRA.rawValue), 0)
    guard result == 0 || isHarmless(handle) else { throw damaged(handle) }
    return bitmap
  }

  /// Cameras write files that draw a warning and decode in full; only missing data makes the picture wrong.
  private static func isHarmless(_ handle: tjhandle) -> Bool {
    tjGetErrorCode(handle) == TJERR_WARNING.rawValue && !reason(handle).hasPrefix("Premature end")
  }

  private static func damaged(_ handle: tjhandle) -> Status {
    Status(.invalidArgument, "JPEG is damaged or cut short (\(reason(handle))); send the whole file again")
  }

  private static func reason(_ handle: tjhandle) -> String {
    guard let text = tjGetErrorStr2(handle) else { return "no reason given" }
    return String(cString: text)
  }
}
