import FaceCore

/// Where things are in a frame, whatever its resolution and whichever side is the longer one: from the middle of the
/// upright picture, in long sides.
///
/// A camera that is turned from landscape to portrait, or set to another resolution, leaves a face where it is in these
/// coordinates: its angle to the optical axis does not change.
struct FrameCoordinates {
  private let centreX: Float
  private let centreY: Float
  /// Pixels of a long side, at least 1.
  private let unit: Float

  init(_ size: PixelSize) {
    centreX = Float(size.width) / 2
    centreY = Float(size.height) / 2
    unit = Float(max(size.longSide, 1))
  }

  func place(_ box: Box) -> Place {
    Place(
      x: (box.x + box.width / 2 - centreX) / unit, y: (box.y + box.height / 2 - centreY) / unit,
      width: max(box.width / unit, .leastNormalMagnitude),
      height: max(box.height / unit, .leastNormalMagnitude))
  }

  func box(_ place: Place) -> Box {
    let width = place.width * unit
    let height = place.height * unit
    return Box(
      x: place.x * unit + centreX - width / 2, y: place.y * unit + centreY - height / 2, width: width,
      height: height)
  }
}

/// The middle and the sides of a face's box in `FrameCoordinates`.
struct Place: Equatable {
  var x: Float
  var y: Float
  /// Above 0.
  var width: Float
  var height: Float

  /// The side of a square of the same area.
  var side: Float { (width * height).squareRoot() }

  /// Whether the sides are those of `other`, or so near to them that what they hold looks the same.
  func isAboutAsLarge(as other: Place) -> Bool {
    abs(width - other.width) < 0.03 * other.width && abs(height - other.height) < 0.03 * other.height
  }

  /// The same middle with the sides of `other`.
  func resized(to other: Place) -> Place {
    Place(x: x, y: y, width: other.width, height: other.height)
  }
}
