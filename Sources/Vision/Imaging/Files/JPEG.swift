import CPictureDecoders
import FaceCore

/// Decodes JPEG files of every kind that libjpeg supports.
enum JPEG {
  static func header(
    of file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> ImageDecoder.Header {
    let decoder = try open(file, token)
    return ImageDecoder.Header(
      size: decoder.size, orientation: try Exif.orientation(ofJPEG: file, token),
      workBytes: decoder.keptBytes)
  }

  /// The resolution of the JFIF header, or else of EXIF.
  static func metadata(
    of file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> PictureMetadata {
    var metadata = try PictureDecoder.metadata(of: file, PICTURE_JPEG, "JPEG", token)
    if metadata.resolution == nil { metadata.resolution = try Exif.resolution(ofJPEG: file, token) }
    return metadata
  }

  /// Returns the picture at `scale` of its size, with the size given by `JPEGScale.reduced`.
  static func decode(
    _ file: UnsafeRawBufferPointer, at scale: JPEGScale = .full, _ token: CancellationToken?,
    _ makeBitmap: BitmapMaker = Bitmap.init
  ) throws(Status) -> Bitmap {
    let decoder = try open(file, token)
    let size = decoder.size
    if scale == .full { try ImageLimits.checkHeld(width: size.width, height: size.height) }
    let bitmap = try makeBitmap(scale.reduced(size))
    var form = picture_form()
    form.eighths = Int32(scale.eighths)
    try decoder.decode(into: bitmap, form)
    if decoder.isForPrint { try PrintColours.convert(bitmap, token) }
    return bitmap
  }

  private static func open(
    _ file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> PictureDecoder {
    let decoder = try PictureDecoder(file, PICTURE_JPEG, "JPEG", token)
    let size = decoder.size
    try ImageLimits.check(width: size.width, height: size.height)
    // A small file could need 2 GB for coefficients, at whatever scale it is decoded.
    if decoder.keptBytes > 0 {
      try ImageLimits.checkHeld(
        width: size.width, height: size.height, alternative: ", or save it as a baseline JPEG, in one scan")
    }
    return decoder
  }
}

/// The scale at which a JPEG is decoded, in eighths: each block of 8×8 pixels becomes that many squared.
/// Source: ITU-T T.81, A.3.3; libjpeg.txt, `scale_num`, for the size.
struct JPEGScale: Comparable {
  let eighths: Int

  static let full = JPEGScale(eighths: 8)
  /// The scales that are faster than the full size.
  private static let reduced = [1, 2, 4].map(JPEGScale.init)

  static func < (left: JPEGScale, right: JPEGScale) -> Bool { left.eighths < right.eighths }

  /// Returns the smallest scale at which `part` of an image of `size` still has `needed` pixels.
  static func smallest(of size: PixelSize, showing part: PixelSize, in needed: PixelSize) -> JPEGScale {
    let bound = 8 * ImageLimits.minSide  // so that the whole stays an image
    return reduced.first {
      part.width * $0.eighths >= needed.width * 8 && part.height * $0.eighths >= needed.height * 8
        && min(size.width, size.height) * $0.eighths >= bound
    } ?? full
  }

  /// Returns the largest scale at which an image of `size` has no more than `ImageLimits.maxHeldPixels`.
  static func largest(of size: PixelSize) -> JPEGScale {
    let scales = reduced.reversed().filter {
      let reduced = $0.reduced(size)
      return reduced.width * reduced.height <= ImageLimits.maxHeldPixels
    }
    return size.width * size.height <= ImageLimits.maxHeldPixels ? full : scales.first ?? reduced[0]
  }

  /// Returns the size of the decoded image.
  func reduced(_ size: PixelSize) -> PixelSize {
    PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
  }

  /// Returns the decoded pixels that show any of `rect`.
  func reduced(_ rect: PixelRect) -> PixelRect {
    let (x, y) = (rect.x * eighths / 8, rect.y * eighths / 8)
    return PixelRect(
      x: x, y: y, width: (rect.maxX * eighths + 7) / 8 - x, height: (rect.maxY * eighths + 7) / 8 - y)
  }

  /// Returns the area that decoded pixels show. The last ones of an image may show what a JPEG stores beyond
  /// its edge.
  func shown(_ reduced: PixelRect) -> Box {
    let scale = 8 / Float(eighths)
    return Box(
      x: Float(reduced.x) * scale, y: Float(reduced.y) * scale, width: Float(reduced.width) * scale,
      height: Float(reduced.height) * scale)
  }
}

/// Videos that are JPEG files one after the other, as many cameras record them.
public enum MotionJPEG {
  /// Returns whether a file is more than one picture: another of the same size follows the first. A camera's photo may
  /// have a small preview behind it, or, in a multi-picture file, other views.
  /// Source of the marker of the latter: CIPA DC-007, 5.2.
  public static func isVideo(_ file: UnsafeRawBufferPointer) -> Bool {
    guard file.starts(with: JPEGSegments.start),
      (try? JPEGSegments.find(0xE2, startingWith: Array("MPF\0".utf8), in: file, nil)) == nil,
      let size = JPEGSegments.size(in: file), let end = JPEGSegments.end(of: file)
    else { return false }
    // Recorders fill up blocks.
    guard let next = file[end...].firstIndex(where: { $0 != 0 }) else { return false }
    let rest = UnsafeRawBufferPointer(rebasing: file[next...])
    return rest.starts(with: JPEGSegments.start) && JPEGSegments.size(in: rest) == size
  }
}

/// The layout of a JPEG file: segments of marker, length and data, then the pixels up to the end marker.
/// Source: ITU-T T.81, B.1.1 and B.2.1.
enum JPEGSegments {
  static let start: [UInt8] = [0xFF, 0xD8, 0xFF]
  private static let startOfScan: UInt8 = 0xDA
  private static let endOfImage: UInt8 = 0xD9

  /// Returns the size in the first frame header. Source: ITU-T T.81, B.2.2 and table B.1.
  static func size(in file: UnsafeRawBufferPointer) -> PixelSize? {
    for marker in UInt8(0xC0)...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker) {
      guard let frame = try? find(marker, startingWith: [], in: file, nil), frame.count >= 5 else { continue }
      let number = { (place: Int) in
        Int(frame[frame.startIndex + place]) << 8 | Int(frame[frame.startIndex + place + 1])
      }
      return PixelSize(width: number(3), height: number(1))
    }
    return nil
  }

  /// Returns the place behind the end marker of the first picture; `nil` if there is none.
  static func end(of file: UnsafeRawBufferPointer) -> Int? {
    var offset = start.count - 1
    while offset + 1 < file.count {
      let found = file[offset + 1]
      // Data, fill bytes, and markers without a length: restarts.
      guard file[offset] == 0xFF, found != 0, found != 0xFF, !(0xD0...0xD7).contains(found) else {
        offset += 1
        continue
      }
      if found == endOfImage { return offset + 2 }
      guard offset + 4 <= file.count else { return nil }
      offset += 2 + (Int(file[offset + 2]) << 8 | Int(file[offset + 3]))
    }
    return nil
  }

  /// Returns the data of the first segment before the pixels that has `marker` and starts with `prefix`.
  static func find(
    _ marker: UInt8, startingWith prefix: [UInt8], in file: UnsafeRawBufferPointer,
    _ token: CancellationToken?
  ) throws(Status) -> Slice<UnsafeRawBufferPointer>? {
    var pacer = WorkPacer(token)
    var offset = 2
    while offset + 4 <= file.count {
      try pacer.add(1)
      // Stray bytes before a marker are skipped, as in libjpeg, and so are fill bytes 0xFF.
      let found = file[offset + 1]
      guard file[offset] == 0xFF, found != 0xFF, found != 0 else {
        offset += 1
        continue
      }
      let length = Int(file[offset + 2]) << 8 | Int(file[offset + 3])
      let end = offset + 2 + length
      guard found != endOfImage, found != startOfScan, length >= 2, end <= file.count else { return nil }
      let data = file[offset + 4..<end]
      if found == marker, data.starts(with: prefix) { return data }
      offset = end
    }
    return nil
  }
}

/// Converts cyan, magenta, yellow and black to blue, green and red without a printer's profile: each ink
/// absorbs its share.
enum PrintColours {
  /// Converts in place. Every known writer follows Adobe and stores the remaining light instead of the ink;
  /// so does this.
  /// Source: Adobe Technical Note 5116, 18; libjpeg, libjpeg.txt "Special color spaces".
  static func convert(_ bitmap: borrowing Bitmap, _ token: CancellationToken?) throws(Status) {
    let (pixels, rowBytes) = (bitmap.pixels, bitmap.stride)
    try WorkPacer.forRows(bitmap.size.height, width: bitmap.size.width, token) { rows in
      convert(
        UnsafeMutableBufferPointer(rebasing: pixels[rows.lowerBound * rowBytes..<rows.upperBound * rowBytes]))
    }
  }

  private static func convert(_ pixels: UnsafeMutableBufferPointer<UInt8>) {
    for first in stride(from: 0, to: pixels.count, by: Bitmap.bytesPerPixel) {
      let pixel = pixels[first..<first + 4]
      let black = UInt16(pixel[first + 3])
      let light = { (ink: UInt8) in UInt8((UInt16(ink) * black + 127) / 255) }
      let (red, green, blue) = (light(pixel[first]), light(pixel[first + 1]), light(pixel[first + 2]))
      pixels[first] = blue
      pixels[first + 1] = green
      pixels[first + 2] = red
      pixels[first + 3] = 255
    }
  }
}
