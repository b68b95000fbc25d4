public import FaceCore

import func Glibc.cos
import func Glibc.sin

/// A square of the upright image that may be rotated and may extend beyond the image.
public struct RotatedSquare: Equatable, Sendable {
  public var center: Point
  public var side: Float
  /// The clockwise rotation of the square's upper edge in degrees, as the picture shows it: a face's roll.
  public var angle: Float

  public init(center: Point, side: Float, angle: Float) {
    self.center = center
    self.side = side
    self.angle = angle
  }

  /// An unrotated square around the middle of `box`, `reach` times as large as its long side.
  public init(around box: Box, reach: Float = 1) {
    self.init(center: box.center, side: max(box.width, box.height) * reach, angle: 0)
  }

  /// Returns the map from positions in a crop of the square, `side` pixels wide and high, to the upright
  /// image.
  public func toImage(cropSide side: Int) -> AffineMap {
    let turn = Double(angle) * .pi / 180
    let scale = Double(self.side) / Double(side)
    let (cosine, sine) = (cos(turn) * scale, sin(turn) * scale)
    let middle = Double(side) / 2
    return AffineMap(
      xx: cosine, xy: -sine, dx: Double(center.x) - (cosine - sine) * middle,
      yx: sine, yy: cosine, dy: Double(center.y) - (sine + cosine) * middle)
  }
}
