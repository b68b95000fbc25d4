extension AffineMap {
  /// The turn, scale and shift that takes points nearest to others, by least squares; `nil` where they have no extent or
  /// are not as many.
  /// Source: Umeyama, "Least-Squares Estimation of Transformation Parameters Between Two Point Patterns", 1991.
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
