import CYUV
package import FaceCore

/// Pixels with alpha.
extension Bitmap {
  /// Whether every alpha is 255.
  var isOpaque: Bool {
    let words = UnsafeRawBufferPointer(pixels).bindMemory(to: UInt32.self)
    var all = UInt32.max
    for word in words { all &= word }
    return all >> 24 == 255
  }

  /// Multiplies colours by alpha, in place.
  consuming func multipliedByAlpha() throws(Status) -> Bitmap {
    // Every pixel is read before it is written.
    let result = ARGBAttenuate(
      pixels.baseAddress, Int32(stride), pixels.baseAddress, Int32(stride), Int32(size.width),
      Int32(size.height))
    try PixelConverter.check(result, "multiply colours by alpha")
    return self
  }

  /// Returns the pixels with colours that are no longer multiplied by alpha.
  package func dividedByAlpha() throws(Status) -> Bitmap {
    let target = try Bitmap(size: size)
    let result = ARGBUnattenuate(
      pixels.baseAddress, Int32(stride), target.pixels.baseAddress, Int32(stride), Int32(size.width),
      Int32(size.height))
    try PixelConverter.check(result, "divide colours by alpha")
    return target
  }

  /// Returns the pixels, whose colours are multiplied by alpha, on a white background.
  package func beforeWhite() throws(Status) -> Bitmap {
    let target = try Bitmap(size: size)
    let (source, count) = (UnsafePointer(pixels.baseAddress), pixels.count)
    guard let source, let first = target.pixels.baseAddress else { return target }
    for pixel in Swift.stride(from: 0, to: count, by: Bitmap.bytesPerPixel) {
      let rest = 255 - source[pixel + 3]
      for part in pixel..<pixel + 3 { first[part] = source[part] &+ min(rest, 255 - source[part]) }
      first[pixel + 3] = 255
    }
    return target
  }
}
