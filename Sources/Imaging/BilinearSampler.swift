import FaceCore

/// Samples pixels at positions between pixels: the weighted mean of the four around. Beyond an edge its pixels repeat.
struct BilinearSampler {
  /// Rows of BGRA pixels, `stride` bytes apart.
  let source: UnsafePointer<UInt8>
  let stride: Int
  let size: PixelSize

  /// - Parameters:
  ///   - target: of any size, overwritten.
  ///   - toSource: from positions in `target` to those in the source, where a pixel's middle is at half numbers.
  func sample(into target: borrowing Bitmap, toSource: AffineMap) {
    guard let pixels = target.pixels.baseAddress else { return }
    let (stepX, stepY) = (BilinearSampler.fixed(toSource.xx), BilinearSampler.fixed(toSource.yx))
    let (maxX, maxY) = ((size.width - 1) << 16, (size.height - 1) << 16)
    for row in 0..<target.size.height {
      let line = UnsafeMutableRawPointer(pixels + row * target.stride)
      let start = toSource(0.5, Double(row) + 0.5)
      var (x, y) = (BilinearSampler.fixed(start.x - 0.5), BilinearSampler.fixed(start.y - 0.5))
      for column in 0..<target.size.width {
        let pixel = pixel(min(max(x, 0), maxX), min(max(y, 0), maxY))
        line.storeBytes(of: pixel, toByteOffset: column &* Bitmap.bytesPerPixel, as: UInt32.self)
        x &+= stepX
        y &+= stepY
      }
    }
  }

  /// In 65536ths of a pixel, bounded so that adding steps does not overflow.
  private static func fixed(_ value: Double) -> Int {
    Int(max(-0x1p30, min(0x1p30, value)) * 0x1p16)
  }

  @inline(__always)
  private func pixel(_ x: Int, _ y: Int) -> UInt32 {
    let (left, top) = (x >> 16, y >> 16)
    let right = left &+ (left < size.width &- 1 ? 1 : 0)
    let upper = source + top &* stride
    let lower = top < size.height &- 1 ? upper + stride : upper
    let (across, down) = (UInt64(truncatingIfNeeded: x >> 8 & 255), UInt64(truncatingIfNeeded: y >> 8 & 255))
    let both = (across &* down &+ 128) >> 8
    return PixelLanes.pixel(
      PixelLanes.load(upper, left) &* (256 &- across &- down &+ both)
        &+ PixelLanes.load(upper, right) &* (across &- both)
        &+ PixelLanes.load(lower, left) &* (down &- both) &+ PixelLanes.load(lower, right) &* both)
  }
}
