import CWebP
import FaceCore

/// Decodes WebP files with one picture, through libwebp.
enum WebP {
  static func size(of file: UnsafeRawBufferPointer) throws(Status) -> PixelSize {
    try features(of: file).size
  }

  /// Decodes a file.
  /// - Parameter keepingAlpha: otherwise transparent pixels are blended with white. Colours are not
  ///   multiplied by alpha.
  static func decode(
    _ file: UnsafeRawBufferPointer, keepingAlpha: Bool = false, _ token: CancellationToken?,
    _ makeBitmap: @escaping BitmapMaker = Bitmap.init
  ) throws(Status) -> Bitmap {
    let features = try features(of: file)
    let bitmap = try DetachedDecoding.run(file, "WebP", token) { (file) throws(Status) in
      try pixels(of: file, features.size, makeBitmap)
    }
    if features.hasAlpha, !keepingAlpha { try blendOnWhite(bitmap, token) }
    return bitmap
  }

  private static func pixels(
    of file: UnsafeRawBufferPointer, _ size: PixelSize, _ makeBitmap: BitmapMaker
  ) throws(Status) -> Bitmap {
    let bitmap = try makeBitmap(size)
    // The simple functions do not return an error code.
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else { throw damaged("libwebp is of another version") }
    config.output.colorspace = MODE_BGRA
    config.output.is_external_memory = 1
    config.output.u.RGBA = WebPRGBABuffer(
      rgba: bitmap.pixels.baseAddress, stride: Int32(bitmap.stride), size: bitmap.pixels.count)
    switch WebPDecode(file.bindMemory(to: UInt8.self).baseAddress, file.count, &config) {
    case VP8_STATUS_OK: return bitmap
    case VP8_STATUS_OUT_OF_MEMORY: throw .noMemory(toDecode: "WebP")
    default: throw damaged("its pixels end early or make no sense")
    }
  }

  private static func features(
    of file: UnsafeRawBufferPointer
  ) throws(Status) -> (size: PixelSize, hasAlpha: Bool) {
    var features = WebPBitstreamFeatures()
    let code = WebPGetFeatures(file.bindMemory(to: UInt8.self).baseAddress, file.count, &features)
    guard code == VP8_STATUS_OK else { throw damaged("its header makes no sense") }
    guard features.has_animation == 0 else {
      throw Status(.unimplemented, "WebP is animated; send one of its pictures")
    }
    try ImageLimits.checkHeld(
      width: Int(features.width), height: Int(features.height), alternative: ImageLimits.asJPEG)
    return (PixelSize(width: Int(features.width), height: Int(features.height)), features.has_alpha != 0)
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

  private static func damaged(_ reason: String) -> Status { .damaged("WebP", reason) }
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
