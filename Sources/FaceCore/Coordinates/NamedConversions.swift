extension Box {
  /// K2: from a position in this box, 0…1 from its top-left corner, to one in the image.
  public func toImage(_ relative: Point) -> Point {
    Point(x: x + relative.x * width, y: y + relative.y * height)
  }

  /// K2: from a position in the image to one in this box, 0…1 from its top-left corner. `nil` of a box without an area.
  public func toRelative(_ point: Point) -> Point? {
    guard width > 0, height > 0 else { return nil }
    return Point(x: (point.x - x) / width, y: (point.y - y) / height)
  }
}

extension AffineMap {
  /// K1: y counted from the bottom of an image `height` pixels high, and back.
  public static func flipped(height: Int) -> AffineMap { AffineMap(scaleY: -1, dy: Double(height)) }

  /// K3: left and right of an image `width` pixels wide exchanged, of boxes as of points.
  public static func mirrored(width: Int) -> AffineMap { AffineMap(scaleX: -1, dx: Double(width)) }
}
