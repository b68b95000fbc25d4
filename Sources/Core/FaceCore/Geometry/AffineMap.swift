/// An affine map of the plane, x′ = xx·x + xy·y + dx, y′ = yx·x + yy·y + dy: any rotation, mirroring,
/// scaling, translation or combination of them.
///
/// It uses double precision, so that a map and its inverse lead back to the same place to less than a
/// thousandth of a pixel.
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

  /// Scales each axis, then translates.
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

  /// Returns the smallest upright box around the mapped `box`; exact where axes stay axes, as in every map
  /// but a crop's.
  public func callAsFunction(_ box: Box) -> Box {
    let (x, y) = self(Double(box.x), Double(box.y))
    let (width, height) = (Double(box.width), Double(box.height))
    return Box(
      x: Float(x + min(xx * width, 0) + min(xy * height, 0)),
      y: Float(y + min(yx * width, 0) + min(yy * height, 0)),
      width: Float(abs(xx * width) + abs(xy * height)), height: Float(abs(yx * width) + abs(yy * height)))
  }

  /// The factor by which areas grow.
  public var areaScale: Double { abs(determinant) }

  private var determinant: Double { xx * yy - xy * yx }

  public func then(_ next: AffineMap) -> AffineMap {
    let (dx, dy) = next(self.dx, self.dy)
    return AffineMap(
      xx: next.xx * xx + next.xy * yx, xy: next.xx * xy + next.xy * yy, dx: dx,
      yx: next.yx * xx + next.yy * yx, yy: next.yx * xy + next.yy * yy, dy: dy)
  }

  /// The inverse map. Only valid if the determinant is not 0.
  public var inverse: AffineMap {
    let area = determinant
    return AffineMap(
      xx: yy / area, xy: -xy / area, dx: (xy * dy - yy * dx) / area,
      yx: -yx / area, yy: xx / area, dy: (yx * dx - xx * dy) / area)
  }
}

extension AffineMap {
  /// Returns the rotation, uniform scale and translation that brings `old` nearest to `new`, by least
  /// squares; `nil` where the points have no extent or their numbers differ.
  /// Source: Umeyama, "Least-Squares Estimation of Transformation Parameters Between Two Point Patterns",
  /// 1991.
  public static func similarity(from old: [Point], to new: [Point]) -> AffineMap? {
    guard old.count == new.count, !old.isEmpty else { return nil }
    let (oldMiddle, newMiddle) = (middle(old), middle(new))
    var (along, across, extent) = (0.0, 0.0, 0.0)
    for (from, to) in zip(old, new) {
      let (x, y) = (Double(from.x - oldMiddle.x), Double(from.y - oldMiddle.y))
      let (newX, newY) = (Double(to.x - newMiddle.x), Double(to.y - newMiddle.y))
      along += x * newX + y * newY
      across += x * newY - y * newX
      extent += x * x + y * y
    }
    let (cosine, sine) = (along / extent, across / extent)
    guard cosine.isFinite, sine.isFinite, cosine != 0 || sine != 0 else { return nil }
    let (x, y) = (Double(oldMiddle.x), Double(oldMiddle.y))
    return AffineMap(
      xx: cosine, xy: -sine, dx: Double(newMiddle.x) - cosine * x + sine * y,
      yx: sine, yy: cosine, dy: Double(newMiddle.y) - sine * x - cosine * y)
  }

  private static func middle(_ points: [Point]) -> Point {
    var (x, y) = (Float(0), Float(0))
    for point in points {
      x += point.x
      y += point.y
    }
    return Point(x: x / Float(points.count), y: y / Float(points.count))
  }
}

extension Box {
  /// Maps a position in this box, 0…1 from its top-left corner, to the image.
  public func toImage(_ relative: Point) -> Point {
    Point(x: x + relative.x * width, y: y + relative.y * height)
  }

  /// Maps a position in the image to this box, 0…1 from its top-left corner. `nil` for a box without an area.
  public func toRelative(_ point: Point) -> Point? {
    guard width > 0, height > 0 else { return nil }
    return Point(x: (point.x - x) / width, y: (point.y - y) / height)
  }
}

extension AffineMap {
  /// The map that exchanges left and right of an image `width` pixels wide, for boxes as for points.
  public static func mirrored(width: Int) -> AffineMap { AffineMap(scaleX: -1, dx: Double(width)) }
}

extension AffineMap {
  /// Maps every point. The names stay, so left stays the subject's left even where the picture is mirrored.
  public func callAsFunction(_ points: FivePoints) -> FivePoints {
    points.map { self($0) }
  }

  /// Maps a circle; where the axes are scaled differently, to the circle of the same area.
  public func callAsFunction(_ circle: Circle) -> Circle {
    Circle(center: self(circle.center), radius: circle.radius * Float(areaScale.squareRoot()))
  }

  /// Maps a point. Depth stays in the unit of x.
  public func callAsFunction(_ point: Point3D) -> Point3D {
    let moved = self(point.point)
    return Point3D(x: moved.x, y: moved.y, z: point.z * Float(xx.magnitude + xy.magnitude))
  }

  /// Maps box, points and landmarks; angles and measurements stay as they are.
  public func callAsFunction(_ face: Face) -> Face {
    var moved = face
    moved.box = self(face.box)
    moved.points = face.points.map { self($0) }
    moved.landmarks?.points = face.landmarks.map { $0.points.map { self($0) } } ?? []
    return moved
  }
}
