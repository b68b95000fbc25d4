import FaceCore

/// Coordinates of a frame that do not depend on its resolution or orientation: relative to the middle of the
/// upright picture, in long sides.
///
/// A camera that is turned from landscape to portrait, or set to another resolution, leaves a face where it
/// is in these coordinates: its angle to the optical axis does not change.
struct FrameCoordinates {
  private let centreX: Float
  private let centreY: Float
  /// The long side in pixels, at least 1.
  private let unit: Float

  init(_ size: PixelSize) {
    centreX = Float(size.width) / 2
    centreY = Float(size.height) / 2
    unit = Float(max(size.longSide, 1))
  }

  func normalised(_ box: Box) -> NormalisedBox {
    NormalisedBox(
      x: (box.x + box.width / 2 - centreX) / unit, y: (box.y + box.height / 2 - centreY) / unit,
      width: max(box.width / unit, .leastNormalMagnitude),
      height: max(box.height / unit, .leastNormalMagnitude))
  }

  func box(_ box: NormalisedBox) -> Box {
    let width = box.width * unit
    let height = box.height * unit
    return Box(
      x: box.x * unit + centreX - width / 2, y: box.y * unit + centreY - height / 2, width: width,
      height: height)
  }
}

/// The middle and the sides of a face's box in `FrameCoordinates`.
struct NormalisedBox: Equatable {
  var x: Float
  var y: Float
  /// Above 0.
  var width: Float
  var height: Float

  var side: Float { (width * height).squareRoot() }

  /// Returns whether the sides differ from those of `other` so little that the picture inside looks the same.
  func isAboutAsLarge(as other: NormalisedBox) -> Bool {
    abs(width - other.width) < 0.03 * other.width && abs(height - other.height) < 0.03 * other.height
  }

  /// Returns the same middle with the sides of `other`.
  func resized(to other: NormalisedBox) -> NormalisedBox {
    NormalisedBox(x: x, y: y, width: other.width, height: other.height)
  }
}
