public import FaceCore

/// Fits an upright image, or a part of it, into a network's input: scales it down uniformly, puts it at the
/// top-left corner, and pads at the right and bottom to the sides the network needs.
public struct Letterbox: Equatable, Sendable {
  /// The size of the upright image.
  public let image: PixelSize
  /// The part of the upright image that the content shows. It may extend beyond it by less than a pixel of
  /// the content.
  public let shown: Box
  /// The size of the part of the input that shows the image.
  public let content: PixelSize
  /// The size of the whole input; both sides are multiples of the network's own.
  public let input: PixelSize

  /// - Parameters:
  ///   - shown: the part of the image to be fitted, in whole pixels; `nil` for all of it.
  ///   - maxSide: the largest long side of the content in pixels; 0 for the image's own size. Never scales
  ///     up.
  ///   - multiple: the divisor of both sides of the input.
  public init(image: PixelSize, shown: Box? = nil, maxSide: Int, multiple: Int) {
    precondition(maxSide >= 0 && multiple > 0)
    let shown = shown ?? PixelRect(image).box
    self.image = image
    self.shown = shown
    let longSide = max(shown.width, shown.height)
    let scale = maxSide > 0 ? min(1, Float(maxSide) / longSide) : 1
    content = PixelSize(
      width: max(1, Int((shown.width * scale).rounded())),
      height: max(1, Int((shown.height * scale).rounded())))
    input = PixelSize(
      width: Letterbox.roundUp(content.width, multiple), height: Letterbox.roundUp(content.height, multiple))
  }

  private init(image: PixelSize, shown: Box, content: PixelSize, input: PixelSize) {
    self.image = image
    self.shown = shown
    self.content = content
    self.input = input
  }

  /// Returns the same letterbox with content that shows another part.
  func showing(_ shown: Box) -> Letterbox {
    Letterbox(image: image, shown: shown, content: content, input: input)
  }

  private static func roundUp(_ side: Int, _ multiple: Int) -> Int {
    (side + multiple - 1) / multiple * multiple
  }

  /// Pixels of the upright image per pixel of the input; the two differ only by the rounding of `content`.
  public var scaleX: Float { shown.width / Float(content.width) }
  public var scaleY: Float { shown.height / Float(content.height) }

  /// Maps a position in the input to the upright image.
  public func toImage(_ point: Point) -> Point {
    Point(x: shown.x + point.x * scaleX, y: shown.y + point.y * scaleY)
  }

  /// Maps a position in the upright image to the input.
  public func toInput(_ point: Point) -> Point {
    Point(x: (point.x - shown.x) / scaleX, y: (point.y - shown.y) / scaleY)
  }

  /// Maps a box in the input to the upright image.
  public func toImage(_ box: Box) -> Box {
    Box(
      x: shown.x + box.x * scaleX, y: shown.y + box.y * scaleY, width: box.width * scaleX,
      height: box.height * scaleY)
  }
}
