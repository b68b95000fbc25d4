public import FaceCore

/// A view of a whole picture, rotated about its middle so that heads of one roll are upright in it.
public struct TurnedView {
  public let size: PixelSize
  /// The map from positions in the view to the picture.
  public let toImage: AffineMap

  /// - Parameters:
  ///   - roll: degrees clockwise by which the heads are tilted in the picture.
  ///   - maxPixels: the most pixels of the view, which is scaled down to fit, but never up. The rotated
  ///     picture leaves the view's corners empty, so in its own size it has up to twice the picture's pixels.
  public init(of picture: PixelSize, roll: Float, maxPixels: Int) {
    let (width, height) = (Double(picture.width), Double(picture.height))
    let square = RotatedSquare(
      center: Point(x: Float(width / 2), y: Float(height / 2)), side: 1, angle: roll)
    let turn = square.toImage(cropSide: 1)
    let (cosine, sine) = (turn.xx.magnitude, turn.yx.magnitude)
    let (fullWidth, fullHeight) = (width * cosine + height * sine, width * sine + height * cosine)
    let scale = min(
      1, (Double(maxPixels) / (fullWidth * fullHeight)).squareRoot(),
      Double(ImageLimits.maxTargetSide) / max(fullWidth, fullHeight))
    size = PixelSize(
      width: max(ImageLimits.minSide, Int((fullWidth * scale).rounded())),
      height: max(ImageLimits.minSide, Int((fullHeight * scale).rounded())))
    toImage = AffineMap(
      scaleX: 1 / scale, scaleY: 1 / scale, dx: -Double(size.width) / (2 * scale),
      dy: -Double(size.height) / (2 * scale)
    ).then(AffineMap(xx: turn.xx, xy: turn.xy, dx: width / 2, yx: turn.yx, yy: turn.yy, dy: height / 2))
  }
}
