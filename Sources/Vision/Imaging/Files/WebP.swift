import CWebP
import FaceCore

/// Decodes WebP files through libwebp; of an animation, its first picture.
enum WebP {
  /// The size, and the bytes that libwebp takes beside file and pixels: transparency and lossless pixels are kept
  /// whole.
  static func size(of file: UnsafeRawBufferPointer) throws(Status) -> (size: PixelSize, workBytes: Int) {
    let (size, hasAlpha, isAnimated) = try features(of: file)
    let isLossy = try bitstream(of: file).format == 1
    return (size, isLossy && !hasAlpha && !isAnimated ? 0 : 5 * size.width * size.height)
  }

  static func metadata(
    of file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> PictureMetadata {
    let chunk = try WebPChunks.find("ICCP", in: file, token)
    return PictureMetadata(
      profile: chunk.map(UnsafeRawBufferPointer.init(rebasing:)) ?? .init(start: nil, count: 0), nil)
  }

  /// Decodes a file.
  /// - Parameter keepingAlpha: otherwise transparent pixels are blended with white. Colours are not
  ///   multiplied by alpha.
  static func decode(
    _ file: UnsafeRawBufferPointer, keepingAlpha: Bool = false, _ token: CancellationToken?,
    _ makeBitmap: @escaping BitmapMaker = Bitmap.init
  ) throws(Status) -> Bitmap {
    let features = try features(of: file)
    let frame = features.isAnimated ? try WebPFrame(firstOf: file, features.size, token) : nil
    let bitmap = try DetachedDecoding.run(file, "WebP", token) { (file) throws(Status) in
      let bitmap = try makeBitmap(features.size)
      guard let frame else {
        try fill(bitmap.pixels, bitmap.stride, from: file)
        return bitmap
      }
      // What the first picture does not cover is transparent, as in browsers.
      if frame.rect.size != features.size { bitmap.pixels.update(repeating: 0) }
      let start = frame.rect.y * bitmap.stride + frame.rect.x * Bitmap.bytesPerPixel
      try fill(
        UnsafeMutableBufferPointer(rebasing: bitmap.pixels[start...]), bitmap.stride,
        from: UnsafeRawBufferPointer(rebasing: file[frame.data]))
      return bitmap
    }
    let isOpaque = frame.map { !$0.hasAlpha && $0.rect.size == features.size } ?? !features.hasAlpha
    if !isOpaque, !keepingAlpha { try blendOnWhite(bitmap, token) }
    return bitmap
  }

  /// Decodes one picture, a whole file or the data of an animation's frame, into rows that begin with `pixels`.
  private static func fill(
    _ pixels: UnsafeMutableBufferPointer<UInt8>, _ stride: Int, from data: UnsafeRawBufferPointer
  ) throws(Status) {
    // The simple functions do not return an error code.
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else { throw damaged("libwebp has the wrong version") }
    config.output.colorspace = MODE_BGRA
    config.output.is_external_memory = 1
    config.output.u.RGBA = WebPRGBABuffer(
      rgba: pixels.baseAddress, stride: Int32(stride), size: pixels.count)
    switch WebPDecode(data.bindMemory(to: UInt8.self).baseAddress, data.count, &config) {
    case VP8_STATUS_OK: return
    case VP8_STATUS_OUT_OF_MEMORY: throw .noMemory(toDecode: "WebP")
    case VP8_STATUS_UNSUPPORTED_FEATURE: throw .unsupported("an unsupported kind of WebP")
    default: throw damaged("its pixels are cut short or invalid")
    }
  }

  private static func features(
    of file: UnsafeRawBufferPointer
  ) throws(Status) -> (size: PixelSize, hasAlpha: Bool, isAnimated: Bool) {
    let features = try bitstream(of: file)
    let size = PixelSize(width: Int(features.width), height: Int(features.height))
    try ImageLimits.checkHeld(width: size.width, height: size.height, alternative: ImageLimits.asJPEG)
    return (size, features.has_alpha != 0, features.has_animation != 0)
  }

  fileprivate static func bitstream(
    of data: UnsafeRawBufferPointer
  ) throws(Status) -> WebPBitstreamFeatures {
    var features = WebPBitstreamFeatures()
    let code = WebPGetFeatures(data.bindMemory(to: UInt8.self).baseAddress, data.count, &features)
    if code == VP8_STATUS_UNSUPPORTED_FEATURE { throw .unsupported("an unsupported kind of WebP") }
    guard code == VP8_STATUS_OK else { throw damaged("its header is invalid") }
    return features
  }

  /// Blends transparent pixels with white, as PNG does.
  private static func blendOnWhite(_ bitmap: borrowing Bitmap, _ token: CancellationToken?) throws(Status) {
    let (pixels, rowBytes) = (bitmap.pixels, bitmap.stride)
    try WorkPacer.forRows(bitmap.size.height, width: bitmap.size.width, token) { rows in
      blendOnWhite(
        UnsafeMutableBufferPointer(rebasing: pixels[rows.lowerBound * rowBytes..<rows.upperBound * rowBytes]))
    }
  }

  private static func blendOnWhite(_ pixels: UnsafeMutableBufferPointer<UInt8>) {
    for first in stride(from: 0, to: pixels.count, by: Bitmap.bytesPerPixel) {
      let alpha = UInt16(pixels[first + 3])
      for index in first..<first + 3 {
        pixels[index] = UInt8((UInt16(pixels[index]) * alpha + 255 * (255 - alpha) + 127) / 255)
      }
      pixels[first + 3] = 255
    }
  }

  fileprivate static func damaged(_ reason: String) -> Status { .damaged("WebP", reason) }
}

/// The first frame of an animated WebP. Source: WebP Container Specification, "Animation", the chunk `ANMF`.
private struct WebPFrame {
  let rect: PixelRect
  let hasAlpha: Bool
  /// The place of the frame's picture in the file: a chunk `VP8 ` or `VP8L`, which `ALPH` may precede.
  let data: Range<Int>

  private static let headerBytes = 16

  /// Throws `invalidArgument` for a file without a frame, and for one whose frame lies outside of the canvas.
  init(
    firstOf file: UnsafeRawBufferPointer, _ canvas: PixelSize, _ token: CancellationToken?
  ) throws(Status) {
    guard let chunk = try WebPChunks.find("ANMF", in: file, token), chunk.count > Self.headerBytes else {
      throw WebP.damaged("it has no first picture")
    }
    func number(_ place: Int) -> Int {
      let first = chunk.startIndex + place
      return Int(file[first]) | Int(file[first + 1]) << 8 | Int(file[first + 2]) << 16
    }
    let size = PixelSize(width: number(6) + 1, height: number(9) + 1)
    rect = PixelRect(x: 2 * number(0), y: 2 * number(3), width: size.width, height: size.height)
    data = chunk.startIndex + Self.headerBytes..<chunk.endIndex
    let features = try WebP.bitstream(of: UnsafeRawBufferPointer(rebasing: file[data]))
    guard features.has_animation == 0, size.width == features.width, size.height == features.height,
      rect.maxX <= canvas.width, rect.maxY <= canvas.height
    else { throw WebP.damaged("its first picture does not fit in its canvas") }
    hasAlpha = features.has_alpha != 0
  }
}

/// The chunk layout of a WebP file: RIFF, length, WEBP, then name, length, data, padded to an even length.
/// Source: WebP Container Specification, "RIFF File Format" and "Metadata".
enum WebPChunks {
  static let signature = (container: Array("RIFF".utf8), kind: Array("WEBP".utf8))

  static func isWebP(_ file: UnsafeRawBufferPointer) -> Bool {
    file.count >= 12 && file.starts(with: signature.container) && file[8..<12].elementsEqual(signature.kind)
  }

  static func find(
    _ name: String, in file: UnsafeRawBufferPointer, _ token: CancellationToken?
  ) throws(Status) -> Slice<UnsafeRawBufferPointer>? {
    var pacer = WorkPacer(token)
    var offset = 12
    while offset <= file.count - 8 {
      let length = Int(UInt32(littleEndian: file.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)))
      let data = offset + 8
      guard length <= file.count - data else { return nil }
      if file[offset..<offset + 4].elementsEqual(name.utf8) { return file[data..<data + length] }
      offset = data + length + length % 2
      try pacer.add(8)
    }
    return nil
  }
}
