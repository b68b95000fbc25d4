/// K4: how a view shows an upright image: turned, then mirrored, then scaled to fit, in the view's middle.
public struct ViewTransform: Equatable, Sendable {
  /// How an image fills a view of another shape.
  public enum Fit: UInt8, Sendable, CaseIterable {
    /// All of the image is seen, with bars at two sides (aspect fit).
    case contain = 0
    /// All of the view is filled, the image is cut at two sides (aspect fill).
    case cover = 1
    /// Each axis for itself.
    case stretch = 2
  }

  /// Pixels, or any other unit; above 0.
  public var width: Float
  public var height: Float
  public var fit: Fit
  /// How the image is turned before it is shown: K6, where a device is turned and its picture is not.
  public var rotation: QuarterTurn
  /// Left and right are exchanged after the turn, as a mirror does.
  public var isMirrored: Bool

  public init(
    width: Float, height: Float, fit: Fit = .contain, rotation: QuarterTurn = .none, isMirrored: Bool = false
  ) {
    self.width = width
    self.height = height
    self.fit = fit
    self.rotation = rotation
    self.isMirrored = isMirrored
  }

  /// From pixels of an upright image of `size` to the view. Sizes must be above 0.
  func map(_ size: PixelSize) -> AffineMap {
    let orientation = Orientation(rotation, mirrored: isMirrored)
    let shown = orientation.uprightSize(of: size)
    let (width, height) = (Double(width), Double(height))
    var (scaleX, scaleY) = (width / Double(shown.width), height / Double(shown.height))
    switch fit {
    case .contain: (scaleX, scaleY) = (min(scaleX, scaleY), min(scaleX, scaleY))
    case .cover: (scaleX, scaleY) = (max(scaleX, scaleY), max(scaleX, scaleY))
    case .stretch: break
    }
    let centred = AffineMap(
      scaleX: scaleX, scaleY: scaleY, dx: (width - Double(shown.width) * scaleX) / 2,
      dy: (height - Double(shown.height) * scaleY) / 2)
    return orientation.toUpright(size).then(centred)
  }
}
