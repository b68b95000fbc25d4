/// How stored pixels must be rotated or mirrored to become upright: the eight values of EXIF tag 0x0112.
/// Source: CIPA DC-008 (Exif 2.32), 4.6.4.A "Orientation".
public enum Orientation: UInt8, Sendable, CaseIterable {
  /// Stored upright.
  case up = 1
  /// Stored mirrored left to right.
  case upMirrored = 2
  /// Stored upside down.
  case down = 3
  /// Stored mirrored top to bottom.
  case downMirrored = 4
  /// Stored transposed (rows and columns exchanged).
  case leftMirrored = 5
  /// Turn 90° clockwise to stand upright.
  case right = 6
  /// Stored transversed (exchanged about the other diagonal).
  case rightMirrored = 7
  /// Turn 90° counter-clockwise to stand upright.
  case left = 8

  /// Whether width and height are exchanged.
  public var swapsAxes: Bool { rawValue >= 5 }

  /// Returns the size of the upright image for stored pixels of `stored`.
  public func uprightSize(of stored: PixelSize) -> PixelSize {
    swapsAxes ? stored.transposed : stored
  }

  /// Returns the position of the stored pixel (`x`, `y`) in the upright image.
  public func upright(x: Int, y: Int, stored: PixelSize) -> (x: Int, y: Int) {
    let right = stored.width - 1 - x
    let bottom = stored.height - 1 - y
    return switch self {
    case .up: (x, y)
    case .upMirrored: (right, y)
    case .down: (right, bottom)
    case .downMirrored: (x, bottom)
    case .leftMirrored: (y, x)
    case .right: (bottom, x)
    case .rightMirrored: (bottom, right)
    case .left: (y, right)
    }
  }

  /// The orientation for which the upright image is also mirrored left to right.
  public var mirrored: Orientation {
    switch self {
    case .up: .upMirrored
    case .upMirrored: .up
    case .down: .downMirrored
    case .downMirrored: .down
    case .leftMirrored: .right
    case .right: .leftMirrored
    case .rightMirrored: .left
    case .left: .rightMirrored
    }
  }
}

extension Orientation {
  public func toUpright(_ stored: PixelSize) -> AffineMap {
    toUpright(width: Double(stored.width), height: Double(stored.height))
  }

  func toUpright(width: Double, height: Double) -> AffineMap {
    switch self {
    case .up: AffineMap()
    case .upMirrored: AffineMap(scaleX: -1, dx: width)
    case .down: AffineMap(scaleX: -1, scaleY: -1, dx: width, dy: height)
    case .downMirrored: AffineMap(scaleY: -1, dy: height)
    case .leftMirrored: AffineMap(xx: 0, xy: 1, dx: 0, yx: 1, yy: 0, dy: 0)
    case .right: AffineMap(xx: 0, xy: -1, dx: height, yx: 1, yy: 0, dy: 0)
    case .rightMirrored: AffineMap(xx: 0, xy: -1, dx: height, yx: -1, yy: 0, dy: width)
    case .left: AffineMap(xx: 0, xy: 1, dx: 0, yx: -1, yy: 0, dy: width)
    }
  }
}
