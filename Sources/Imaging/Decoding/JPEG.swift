import CTurboJPEG
import FaceCore

/// JPEG through TurboJPEG.
enum JPEG {
  static func size(of file: UnsafeRawBufferPointer) throws(Status) -> PixelSize {
    try Decompressor(file).size
  }

  /// The picture at `scale` of its size: as many pixels as `JPEGScale.reduced` says.
  static func decode(_ file: UnsafeRawBufferPointer, at scale: JPEGScale = .full) throws(Status) -> Bitmap {
    try Decompressor(file).decode(at: scale)
  }

  /// One file whose header was read.
  private final class Decompressor {
    private let handle: tjhandle
    private let file: UnsafeRawBufferPointer
    let size: PixelSize
    private let isForPrint: Bool

    init(_ file: UnsafeRawBufferPointer) throws(Status) {
      guard let handle = tjInitDecompress() else {
        throw Status(.resourceExhausted, "no memory to start the JPEG decoder; try again when some is free")
      }
      self.handle = handle
      self.file = file
      var width: Int32 = 0
      var height: Int32 = 0
      var subsampling: Int32 = 0
      var colourSpace: Int32 = -1
      // The code is that of failure for warnings and for samplings without a name, too: a header that was read in full
      // is known by its values. It is success for a file of tables without a picture.
      let code = tjDecompressHeader3(
        handle, file.bindMemory(to: UInt8.self).baseAddress, UInt(file.count), &width, &height, &subsampling,
        &colourSpace)
      size = PixelSize(width: Int(width), height: Int(height))
      isForPrint = colourSpace == TJCS_CMYK.rawValue || colourSpace == TJCS_YCCK.rawValue
      guard width > 0, height > 0, colourSpace >= 0 else {
        throw JPEG.damaged(code == 0 ? "it has no picture" : JPEG.reason(handle))
      }
      try ImageLimits.check(width: size.width, height: size.height)
    }

    deinit { tjDestroy(handle) }

    func decode(at scale: JPEGScale) throws(Status) -> Bitmap {
      let bitmap = try Bitmap(size: scale.reduced(size))
      // A few bytes a scan must not buy minutes of decoding.
      let result = tjDecompress2(
        handle, file.bindMemory(to: UInt8.self).baseAddress, UInt(file.count), bitmap.pixels.baseAddress,
        Int32(bitmap.size.width), Int32(bitmap.stride), Int32(bitmap.size.height),
        Int32((isForPrint ? TJPF_CMYK : TJPF_BGRA).rawValue), TJFLAG_LIMITSCANS)
      guard result == 0 || isHarmless else { throw JPEG.damaged(JPEG.reason(handle)) }
      if isForPrint { PrintColours.convert(bitmap) }
      return bitmap
    }

    /// Cameras write files that draw a warning and decode in full; missing or wrong data makes the picture wrong.
    ///
    /// TurboJPEG tells the first warning only, so a harmless one is believed of a file that has its end.
    private var isHarmless: Bool {
      guard tjGetErrorCode(handle) == TJERR_WARNING.rawValue else { return false }
      let warning = JPEG.reason(handle)
      return !JPEG.harmful.contains { warning.hasPart($0) } && JPEGSegments.hasEnd(file)
    }
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
