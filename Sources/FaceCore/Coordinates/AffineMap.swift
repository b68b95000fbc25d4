/// x′ = xx·x + xy·y + dx, y′ = yx·x + yy·y + dy: every turn, mirroring, scaling and shift of the plane.
///
/// In double precision, so that the way there and back is the same place to less than a thousandth of a pixel.
public struct AffineMap: Equatable, Sendable, BitwiseCopyable {
  public var xx: Double
  public var xy: Double
  public var dx: Double
  public var yx: Double
  public var yy: Double
  public var dy: Double

  public init(xx: Double, xy: Double, dx: Double, yx: Double, yy: Double, dy: Double) {
    self.xx = xx
    self.xy = xy
    self.dx = dx
    self.yx = yx
    self.yy = yy
    self.dy = dy
  }

  /// Each axis scaled, then shifted.
  public init(scaleX: Double = 1, scaleY: Double = 1, dx: Double = 0, dy: Double = 0) {
    self.init(xx: scaleX, xy: 0, dx: dx, yx: 0, yy: scaleY, dy: dy)
  }

  public func callAsFunction(_ point: Point) -> Point {
    let (x, y) = self(Double(point.x), Double(point.y))
    return Point(x: Float(x), y: Float(y))
  }

  public func callAsFunction(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    (xx * x + xy * y + dx, yx * x + yy * y + dy)
  }

  /// The smallest upright box around what becomes of `box`; exact where axes stay axes, as in every map but a crop's.
  public func callAsFunction(_ box: Box) -> Box {
    let (x, y) = self(Double(box.x), Double(box.y))
    let (width, height) = (Double(box.width), Double(box.height))
    return Box(
      x: Float(x + min(xx * width, 0) + min(xy * height, 0)),
      y: Float(y + min(yx * width, 0) + min(yy * height, 0)),
      width: Float(abs(xx * width) + abs(xy * height)), height: Float(abs(yx * width) + abs(yy * height)))
  }

  /// How many times larger areas become.
  public var areaScale: Double { abs(determinant) }

  private var determinant: Double { xx * yy - xy * yx }

  /// This map, then `next`.
  public func then(_ next: AffineMap) -> AffineMap {
    let (dx, dy) = next(self.dx, self.dy)
    return AffineMap(
      xx: next.xx * xx + next.xy * yx, xy: next.xx * xy + next.xy * yy, dx: dx,
      yx: next.yx * xx + next.yy * yx, yy: next.yx * xy + next.yy * yy, dy: dy)
  }

  /// The way back. Only of a map that makes no area vanish.
  public var inverse: AffineMap {
    let area = determinant
    return AffineMap(
      xx: yy / area, xy: -xy / area, dx: (xy * dy - yy * dx) / area,
      yx: -yx / area, yy: xx / area, dy: (yx * dx - xx * dy) / area)
  }
}
