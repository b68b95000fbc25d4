public import FaceCore

/// How an upright image is fitted into a network's input: scaled down evenly, put at the top-left corner,
/// and padded at the right and bottom to the sides the network needs.
public struct Letterbox: Equatable, Sendable {
  /// The upright image.
  public let image: PixelSize
  /// The part of the input that shows the image.
  public let content: PixelSize
  /// The whole input; both sides are multiples of the network's own.
  public let input: PixelSize

  /// - Parameters:
  ///   - maxSide: bound of the content's long side in pixels; 0 for the image's own size. Never scales up.
  ///   - multiple: what both sides of the input must be divisible by.
  public init(image: PixelSize, maxSide: Int, multiple: Int) {
    self.image = image
    if maxSide > 0, image.longSide > maxSide {
      let scale = Float(maxSide) / Float(image.longSide)
      content = PixelSize(
        width: max(1, Int((Float(image.width) * scale).rounded())),
        height: max(1, Int((Float(image.height) * scale).rounded())))
    } else {
      content = image
    }
    input = PixelSize(
      width: Letterbox.roundUp(content.width, multiple), height: Letterbox.roundUp(content.height, multiple))
  }

  private static func roundUp(_ side: Int, _ multiple: Int) -> Int {
    (side + multiple - 1) / multiple * multiple
  }

  /// Pixels of the upright image per pixel of the input; the two differ only by the rounding of `content`.
  public var scaleX: Float { Float(image.width) / Float(content.width) }
  public var scaleY: Float { Float(image.height) / Float(content.height) }

  /// From a position in the input to the one in the upright image.
  public func toImage(_ point: Point) -> Point {
    Point(x: point.x * scaleX, y: point.y * scaleY)
  }

  /// From a position in the upright image to the one in the input.
  public func toInput(_ point: Point) -> Point {
    Point(x: point.x / scaleX, y: point.y / scaleY)
  }

  /// From a box in the input to the one in the upright image.
  public func toImage(_ box: Box) -> Box {
    Box(x: box.x * scaleX, y: box.y * scaleY, width: box.width * scaleX, height: box.height * scaleY)
  }
}
