import FaceCore

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
