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

  /// The four parts of a pixel are weighed at once, each in 16 bits of a word. Weights are 256ths and sum to 256.
  @inline(__always)
  private func pixel(_ x: Double, _ y: Double) -> UInt32 {
    let (left, top) = (Int(x), Int(y))
    let (right, bottom) = (min(left + 1, size.width - 1), min(top + 1, size.height - 1))
    let across = UInt64((x - Double(left)) * 256 + 0.5)
    let down = UInt64((y - Double(top)) * 256 + 0.5)
    let both = (across * down + 128) >> 8
    let upper = source + top * stride
    let lower = source + bottom * stride
    let sum =
      spread(upper, left) &* (256 &- across &- down &+ both) &+ spread(upper, right) &* (across &- both)
      &+ spread(lower, left) &* (down &- both) &+ spread(lower, right) &* both
    return gathered(sum &+ 0x0080_0080_0080_0080)
  }

  @inline(__always)
  private func spread(_ line: UnsafePointer<UInt8>, _ column: Int) -> UInt64 {
    let pixel = UnsafeRawPointer(line).loadUnaligned(fromByteOffset: column * 4, as: UInt32.self)
    let wide = UInt64(pixel)
    return wide & 0x00FF_00FF | (wide & 0xFF00_FF00) << 24
  }

  @inline(__always)
  private func gathered(_ sum: UInt64) -> UInt32 {
    let low = sum >> 8 & 0x00FF_00FF
    let high = sum >> 32 & 0xFF00_FF00
    return UInt32(truncatingIfNeeded: low | high)
  }
}
