/// A coordinate space: where its origin is and what its unit is.
public enum CoordinateSpace: Equatable, Sendable {
  /// Pixels of the upright image, origin at the top-left corner: the only form in which results are kept.
  case pixels
  /// 0…1 over the upright image, origin at the top-left corner, as AVFoundation has it.
  case normalised
  /// 0…1 over the upright image, origin at the bottom-left corner and y up, as Vision has it.
  case normalisedBottomLeft
  /// Pixels of the upright image, origin at the bottom-left corner and y up, as CIDetector has it.
  case pixelsBottomLeft
  /// The units of a view that shows the image, origin at its top-left corner.
  case view(ViewTransform)

  /// Returns the maps between pixels of an upright image of `size` and this space.
  ///
  /// Throws `invalidArgument` unless all sides of image and view are finite and above 0.
  public func conversion(for size: PixelSize) throws(Status) -> CoordinateConversion {
    guard size.width > 0, size.height > 0 else {
      throw Status(
        .invalidArgument,
        "the image is \(size.width)×\(size.height) pixels; give the size of the upright image")
    }
    if case .view(let view) = self {
      guard view.width > 0, view.height > 0, view.width.isFinite, view.height.isFinite else {
        throw Status(
          .invalidArgument, "the view is \(view.width)×\(view.height); both sides must be finite and above 0")
      }
    }
    return CoordinateConversion(map(size))
  }

  private func map(_ size: PixelSize) -> AffineMap {
    let (width, height) = (Double(size.width), Double(size.height))
    return switch self {
    case .pixels: AffineMap()
    case .normalised: AffineMap(scaleX: 1 / width, scaleY: 1 / height)
    case .normalisedBottomLeft: AffineMap(scaleX: 1 / width, scaleY: -1 / height, dy: 1)
    case .pixelsBottomLeft: AffineMap(scaleX: 1, scaleY: -1, dy: height)
    case .view(let view): view.map(size)
    }
  }
}

/// The maps between pixels of one upright image and a coordinate space.
///
/// There and back is the same place to less than a thousandth of a pixel. Names do not change: left stays the
/// subject's left however the picture is shown.
public struct CoordinateConversion: Equatable, Sendable {
  public let toSpace: AffineMap
  /// The map to pixels of the upright image.
  public let fromSpace: AffineMap

  init(_ toSpace: AffineMap) {
    self.toSpace = toSpace
    fromSpace = toSpace.inverse
  }
}

/// The way a view shows an upright image: turned, then mirrored, then scaled to fit, in the view's middle.
public struct ViewTransform: Equatable, Sendable {
  /// How an image fills a view of another shape.
  public enum Fit: UInt8, Sendable, CaseIterable {
    /// All of the image is seen, with bars at two sides (aspect fit).
    case contain = 0
    /// All of the view is filled, the image is cut at two sides (aspect fill).
    case cover = 1
    /// Each axis is scaled by itself.
    case stretch = 2
  }

  /// Pixels, or any other unit; above 0.
  public var width: Float
  public var height: Float
  public var fit: Fit
  /// The rotation of the image before it is shown, where a device is rotated and its picture is not.
  public var rotation: QuarterTurn
  /// Whether left and right are exchanged after the rotation, as in a mirror.
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

  /// Returns the map from pixels of an upright image of `size` to the view. Sizes must be above 0.
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
