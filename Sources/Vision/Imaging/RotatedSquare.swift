public import FaceCore

import func Glibc.cos
import func Glibc.sin

/// A square of the upright image that may stand askew and may leave the image.
public struct RotatedSquare: Equatable, Sendable {
  public var center: Point
  /// Pixels.
  public var side: Float
  /// Degrees by which the square's upper edge is turned clockwise, as the picture shows it: a face's roll.
  public var angle: Float

  public init(center: Point, side: Float, angle: Float) {
    self.center = center
    self.side = side
    self.angle = angle
  }

  /// Stands straight round the middle of `box`, as large as its long side `reach` times.
  public init(around box: Box, reach: Float = 1) {
    self.init(center: box.center, side: max(box.width, box.height) * reach, angle: 0)
  }

  /// From positions in a crop of the square, `side` pixels wide and high, to those in the upright image.
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
