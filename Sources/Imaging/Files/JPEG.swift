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
      // Of others all coefficients are held, at whatever scale they are decoded: a small file could take 2 GB.
      if !JPEGSegments.isOneScan(file) {
        try ImageLimits.checkHeld(width: size.width, height: size.height)
      }
    }

    deinit { tjDestroy(handle) }

    func decode(at scale: JPEGScale) throws(Status) -> Bitmap {
      if scale == .full { try ImageLimits.checkHeld(width: size.width, height: size.height) }
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
    /// TurboJPEG reports only the first warning, so a harmless one counts only for a file that has its end marker.
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

/// The share of its size, in eighths, at which a JPEG is decoded: each block of 8×8 pixels becomes as many squared.
/// Source: ITU-T T.81, A.3.3; TurboJPEG's `TJSCALED` for the size.
struct JPEGScale: Comparable {
  let eighths: Int

  static let full = JPEGScale(eighths: 8)
  /// Those that are quicker than the full size.
  private static let reduced = [1, 2, 4].map(JPEGScale.init)

  static func < (left: JPEGScale, right: JPEGScale) -> Bool { left.eighths < right.eighths }

  /// The smallest scale at which `part` of an image of `size` still has `needed` pixels.
  static func smallest(of size: PixelSize, showing part: PixelSize, in needed: PixelSize) -> JPEGScale {
    let bound = 8 * ImageLimits.minSide  // so that the whole stays an image
    return reduced.first {
      part.width * $0.eighths >= needed.width * 8 && part.height * $0.eighths >= needed.height * 8
        && min(size.width, size.height) * $0.eighths >= bound
    } ?? full
  }

  /// The largest scale at which an image of `size` has no more than `ImageLimits.maxHeldPixels`.
  static func largest(of size: PixelSize) -> JPEGScale {
    let scales = reduced.reversed().filter {
      let reduced = $0.reduced(size)
      return reduced.width * reduced.height <= ImageLimits.maxHeldPixels
    }
    return size.width * size.height <= ImageLimits.maxHeldPixels ? full : scales.first ?? reduced[0]
  }

  /// Of the decoded image.
  func reduced(_ size: PixelSize) -> PixelSize {
    PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
  }

  /// The decoded pixels that show some of `rect`.
  func reduced(_ rect: PixelRect) -> PixelRect {
    let (x, y) = (rect.x * eighths / 8, rect.y * eighths / 8)
    return PixelRect(
      x: x, y: y, width: (rect.maxX * eighths + 7) / 8 - x, height: (rect.maxY * eighths + 7) / 8 - y)
  }

  /// What decoded pixels show. The last ones of an image may show what a JPEG keeps beyond its edge.
  func shown(_ reduced: PixelRect) -> Box {
    let scale = 8 / Float(eighths)
    return Box(
      x: Float(reduced.x) * scale, y: Float(reduced.y) * scale, width: Float(reduced.width) * scale,
      height: Float(reduced.height) * scale)
  }
}

/// The layout of a JPEG file: segments of marker, length and data, then the pixels up to the end marker.
/// Source: ITU-T T.81, B.1.1 and B.2.1.
enum JPEGSegments {
  private static let startOfScan: UInt8 = 0xDA
  private static let endOfImage: UInt8 = 0xD9

  /// The data of the first segment before the pixels that has `marker` and starts with `prefix`.
  static func find(
    _ marker: UInt8, startingWith prefix: some Collection<UInt8>, in file: UnsafeRawBufferPointer
  ) -> Slice<UnsafeRawBufferPointer>? {
    first(in: file) { $0 == marker && $1.starts(with: prefix) }
  }

  /// Whether the end marker follows the pixels, in which 0xFF never stands before it.
  static func hasEnd(_ file: UnsafeRawBufferPointer) -> Bool {
    guard let scan = first(in: file, where: { marker, _ in marker == startOfScan }) else { return false }
    return (scan.endIndex..<max(file.count - 1, scan.endIndex)).contains {
      file[$0] == 0xFF && file[$0 + 1] == endOfImage
    }
  }

  /// Whether the file is decoded row by row: sequential, with all components in its first scan.
  /// Source: ITU-T T.81, B.2.2 and B.2.3, table B.1.
  static func isOneScan(_ file: UnsafeRawBufferPointer) -> Bool {
    var components: UInt8?
    let scan = first(in: file) { marker, data in
      // SOF0 and SOF1; the length of what precedes the number of components.
      if marker == 0xC0 || marker == 0xC1, data.count > 5 { components = data[data.startIndex + 5] }
      return marker == startOfScan
    }
    return components != nil && scan?.first == components
  }

  private static func first(
    in file: UnsafeRawBufferPointer,
    where matches: (_ marker: UInt8, _ data: Slice<UnsafeRawBufferPointer>) -> Bool
  ) -> Slice<UnsafeRawBufferPointer>? {
    var offset = 2
    // Stray bytes before a marker are stepped over, as libjpeg does; so is 0xFF as filling.
    while let start = file[offset...].firstIndex(of: 0xFF), start + 4 <= file.count {
      let marker = file[start + 1]
      guard marker != 0xFF, marker != 0 else {
        offset = start + 1
        continue
      }
      let length = Int(file[start + 2]) << 8 | Int(file[start + 3])
      let end = start + 2 + length
      guard marker != endOfImage, length >= 2, end <= file.count else { return nil }
      let data = file[start + 4..<end]
      if matches(marker, data) { return data }
      guard marker != startOfScan else { return nil }
      offset = end
    }
    return nil
  }
}

/// Converts cyan, magenta, yellow and black to blue, green and red, without a printer's profile: each ink absorbs its share.
enum PrintColours {
  /// In place. Every known writer follows Adobe and stores what is left of the light, not the ink; so does this.
  /// Source: Adobe Technical Note 5116, 18; libjpeg, libjpeg.txt "Special color spaces".
  static func convert(_ bitmap: borrowing Bitmap) {
    for first in stride(from: 0, to: bitmap.pixels.count, by: Bitmap.bytesPerPixel) {
      let pixel = bitmap.pixels[first..<first + 4]
      let black = UInt16(pixel[first + 3])
      let light = { (ink: UInt8) in UInt8((UInt16(ink) * black + 127) / 255) }
      let (red, green, blue) = (light(pixel[first]), light(pixel[first + 1]), light(pixel[first + 2]))
      bitmap.pixels[first] = blue
      bitmap.pixels[first + 1] = green
      bitmap.pixels[first + 2] = red
      bitmap.pixels[first + 3] = 255
    }
  }
}
