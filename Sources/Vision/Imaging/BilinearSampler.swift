import CPixelKernels
import FaceCore

/// Samples pixels at fractional positions: the weighted mean of the four around. Beyond an edge its pixels
/// are repeated.
struct BilinearSampler {
  /// Rows of BGRA pixels, `stride` bytes apart.
  let source: UnsafePointer<UInt8>
  let stride: Int
  let size: PixelSize

  /// Fills `target`.
  /// - Parameters:
  ///   - target: of any size, overwritten.
  ///   - toSource: maps positions in `target` to the source, where the middle of a pixel is at half numbers.
  ///   - token: checked between rows; its error is thrown.
  func sample(
    into target: borrowing Bitmap, toSource: AffineMap, _ token: CancellationToken?
  ) throws(Status) {
    precondition(stride >= size.width * Bitmap.bytesPerPixel)
    guard min(size.width, size.height) > 1 else {
      let doubled = try doubled()
      guard let source = doubled.pixels.baseAddress else { return }
      return try BilinearSampler(source: source, stride: doubled.stride, size: doubled.size)
        .sample(into: target, toSource: toSource, token)
    }
    guard let pixels = target.pixels.baseAddress else { return }
    let kernels = pixel_kernels_best()
    var pacer = WorkPacer(token)
    for row in 0..<target.size.height {
      let start = toSource(0.5, Double(row) + 0.5)
      var sampling = pixel_sampling(
        source: source, stride: stride, width: Int32(size.width), height: Int32(size.height),
        x: BilinearSampler.fixed(start.x - 0.5), y: BilinearSampler.fixed(start.y - 0.5),
        step_x: BilinearSampler.fixed(toSource.xx), step_y: BilinearSampler.fixed(toSource.yx),
        count: Int32(target.size.width), out: pixels + row * target.stride)
      kernels.sample(&sampling)
      try pacer.add(target.size.width)
    }
  }

  /// Converts to 65536ths of a pixel, clamped so that adding steps does not overflow.
  private static func fixed(_ value: Double) -> Int64 {
    Int64(max(-0x1p30, min(0x1p30, value)) * 0x1p16)
  }

  /// Returns the source with its last row and column repeated where there is only one: the kernels read two
  /// of each.
  private func doubled() throws(Status) -> Bitmap {
    let copy = try Bitmap(size: PixelSize(width: max(2, size.width), height: max(2, size.height)))
    for row in 0..<copy.size.height {
      for column in 0..<copy.size.width {
        let place = min(row, size.height - 1) * stride + min(column, size.width - 1) * Bitmap.bytesPerPixel
        let pixel = UnsafeRawPointer(source).loadUnaligned(fromByteOffset: place, as: UInt32.self)
        UnsafeMutableRawBufferPointer(copy.pixels)
          .storeBytes(
            of: pixel, toByteOffset: row * copy.stride + column * Bitmap.bytesPerPixel, as: UInt32.self)
      }
    }
    return copy
  }
}
