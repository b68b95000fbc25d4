import FaceCore
package import Imaging

/// Statistics of a face's luma, 0…255, in the ellipse in the middle of its crop.
package struct FaceLuma {
  package let mean: Float
  package let standardDeviation: Float
  /// The mean of |∂²/∂x²| + |∂²/∂y²|.
  package let meanAbsoluteLaplacian: Float
  /// The share of pixels at or next to black or white.
  package let clippedShare: Float

  package init(_ bitmap: borrowing Bitmap) {
    let size = bitmap.size
    let luma = FaceLuma.plane(bitmap)
    var (count, sum, squares, laplacian, clipped): (Float, Double, Double, Double, Float) = (0, 0, 0, 0, 0)
    for y in 1..<max(1, size.height - 1) {
      for x in FaceLuma.columns(ofRow: y, in: size) {
        let here = luma[y * size.width + x]
        let across = 2 * here - luma[y * size.width + x - 1] - luma[y * size.width + x + 1]
        let down = 2 * here - luma[(y - 1) * size.width + x] - luma[(y + 1) * size.width + x]
        count += 1
        sum += Double(here)
        squares += Double(here * here)
        laplacian += Double(abs(across) + abs(down))
        if here <= 4 || here >= 251 { clipped += 1 }
      }
    }
    guard count > 0 else {
      (mean, standardDeviation, meanAbsoluteLaplacian, clippedShare) = (0, 0, 0, 1)
      return
    }
    let mean = sum / Double(count)
    self.mean = Float(mean)
    standardDeviation = Float(max(0, squares / Double(count) - mean * mean).squareRoot())
    meanAbsoluteLaplacian = Float(laplacian / Double(count))
    clippedShare = clipped / count
  }

  /// Returns the luma of each pixel, with the weights of ITU-R BT.601.
  private static func plane(_ bitmap: borrowing Bitmap) -> [Float] {
    let pixels = bitmap.pixels
    return (0..<bitmap.size.width * bitmap.size.height).map { index in
      let first = index * Bitmap.bytesPerPixel
      return 0.114 * Float(pixels[first]) + 0.587 * Float(pixels[first + 1]) + 0.299
        * Float(pixels[first + 2])
    }
  }

  /// Returns the columns of a row that lie in the ellipse, which has 0.7 of the crop's width and 0.85 of its
  /// height and never includes a pixel at the border.
  private static func columns(ofRow y: Int, in size: PixelSize) -> Range<Int> {
    let (halfWidth, halfHeight) = (0.35 * Float(size.width), 0.425 * Float(size.height))
    let middle = Float(size.width) / 2
    let down = (Float(y) + 0.5 - Float(size.height) / 2) / halfHeight
    guard abs(down) < 1 else { return 0..<0 }
    let half = halfWidth * (1 - down * down).squareRoot()
    let first = max(1, Int((middle - half).rounded()))
    return first..<max(first, min(size.width - 1, Int((middle + half).rounded())))
  }
}
