import FaceCore

/// Takes pixels at places between pixels, as the weighted mean of the four around; beyond an edge its pixels repeat.
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
    let (maxX, maxY) = (Double(size.width - 1), Double(size.height - 1))
    for row in 0..<target.size.height {
      let line = UnsafeMutableRawPointer(pixels + row * target.stride)
      let start = toSource(0.5, Double(row) + 0.5)
      for column in 0..<target.size.width {
        // A comparison with what is no number is false, so nothing traps: `min` and `max` give the bound.
        let x = max(0, min(maxX, start.x + toSource.xx * Double(column) - 0.5))
        let y = max(0, min(maxY, start.y + toSource.yx * Double(column) - 0.5))
        line.storeBytes(of: pixel(x, y), toByteOffset: column * Bitmap.bytesPerPixel, as: UInt32.self)
      }
    }
  }

  @inline(__always)
  private func pixel(_ x: Double, _ y: Double) -> UInt32 {
    let (left, top) = (Int(x), Int(y))
    let (right, bottom) = (min(left + 1, size.width - 1), min(top + 1, size.height - 1))
    let across = UInt64((x - Double(left)) * 256 + 0.5)
    let down = UInt64((y - Double(top)) * 256 + 0.5)
    let both = (across * down + 128) >> 8
    let upper = source + top * stride
    let lower = source + bottom * stride
    return PixelLanes.pixel(
      PixelLanes.load(upper, left) &* (256 &- across &- down &+ both)
        &+ PixelLanes.load(upper, right) &* (across &- both)
        &+ PixelLanes.load(lower, left) &* (down &- both) &+ PixelLanes.load(lower, right) &* both)
  }
}
