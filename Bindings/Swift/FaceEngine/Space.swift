package import CFaceEngine

/// Where positions have their origin, and their unit. docs/coordinates.md has the formulas.
public enum Space: Sendable, Hashable {
  /// Pixels of the upright image, origin top-left: what results have.
  case pixels
  /// 0 to 1 over the upright image, origin top-left: AVFoundation's.
  case normalised
  /// 0 to 1 over the upright image, origin bottom-left, y up: Vision's.
  case normalisedBottomLeft
  /// Pixels of the upright image, origin bottom-left, y up: CIDetector's.
  case pixelsBottomLeft
  /// Pixels of a view that shows the image, origin top-left.
  /// - Parameters:
  ///   - rotation: 0, 90, 180 or 270 degrees clockwise: how the image is turned before it is shown.
  ///   - isMirrored: whether left and right are then exchanged, as in a mirror.
  case view(width: Float, height: Float, fit: Fit = .contain, rotation: Int = 0, isMirrored: Bool = false)

  package func c() throws(FaceError) -> face_space {
    var c = face_space()
    face_space_init(&c)
    let kind =
      switch self {
      case .pixels: FACE_SPACE_PIXELS
      case .normalised: FACE_SPACE_NORMALISED
      case .normalisedBottomLeft: FACE_SPACE_NORMALISED_BOTTOM_LEFT
      case .pixelsBottomLeft: FACE_SPACE_PIXELS_BOTTOM_LEFT
      case .view: FACE_SPACE_VIEW
      }
    c.kind = UInt32(kind)
    if case .view(let width, let height, let fit, let rotation, let isMirrored) = self {
      (c.view_width, c.view_height, c.fit, c.mirrored) = (width, height, fit.rawValue, isMirrored ? 1 : 0)
      c.rotation = try number(rotation, "rotation")
    }
    return c
  }
}

package func withSpace<Result>(
  _ space: Space?, _ body: (UnsafePointer<face_space>?) throws(FaceError) -> Result
) throws(FaceError) -> Result {
  guard let space else { return try body(nil) }
  var c = try space.c()
  return try withUnsafePointer(to: &c) { (c) throws(FaceError) -> Result in try body(c) }
}

extension Box {
  /// The box in another space, from pixels of an upright image.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Box {
    var (c, space) = (c, try space.c())
    try check(
      face_box_to_space(&space, try number(size.width, "width"), try number(size.height, "height"), &c))
    return Box(c)
  }

  /// The box in pixels of an upright image, from another space.
  public func converted(from space: Space, of size: Size) throws(FaceError) -> Box {
    var (c, space) = (c, try space.c())
    try check(
      face_box_from_space(&space, try number(size.width, "width"), try number(size.height, "height"), &c))
    return Box(c)
  }
}

extension Circle {
  /// The circle in another space, from pixels of an upright image. With a view that stretches, the circle of the same area.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Circle {
    var (c, space) = (c, try space.c())
    try check(
      face_circle_to_space(&space, try number(size.width, "width"), try number(size.height, "height"), &c))
    return Circle(c)
  }

  /// The circle in pixels of an upright image, from another space. With a view that stretches, the circle of the same area.
  public func converted(from space: Space, of size: Size) throws(FaceError) -> Circle {
    var (c, space) = (c, try space.c())
    try check(
      face_circle_from_space(&space, try number(size.width, "width"), try number(size.height, "height"), &c))
    return Circle(c)
  }
}

extension Point {
  /// The point in another space, from pixels of an upright image.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Point {
    try [self].converted(to: space, of: size)[0]
  }

  /// The point in pixels of an upright image, from another space.
  public func converted(from space: Space, of size: Size) throws(FaceError) -> Point {
    try [self].converted(from: space, of: size)[0]
  }
}

extension [Point] {
  /// The points in another space, from pixels of an upright image.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> [Point] {
    var (points, space) = (map(\.c), try space.c())
    try check(
      face_points_to_space(
        &space, try number(size.width, "width"), try number(size.height, "height"), &points,
        UInt32(points.count)))
    return points.map(Point.init)
  }

  /// The points in pixels of an upright image, from another space.
  public func converted(from space: Space, of size: Size) throws(FaceError) -> [Point] {
    var (points, space) = (map(\.c), try space.c())
    try check(
      face_points_from_space(
        &space, try number(size.width, "width"), try number(size.height, "height"), &points,
        UInt32(points.count)))
    return points.map(Point.init)
  }

  /// The points as positions in a box, 0 to 1 from its top-left corner.
  public func relative(to box: Box) throws(FaceError) -> [Point] {
    var (points, box) = (map(\.c), box.c)
    try check(face_points_to_box(&box, &points, UInt32(points.count)))
    return points.map(Point.init)
  }
}

extension Points {
  func converted(to space: Space, of size: Size) throws(FaceError) -> Points {
    var copy = self
    let points = try [leftEye, rightEye, noseTip, mouthLeft, mouthRight].converted(to: space, of: size)
    (copy.leftEye, copy.rightEye, copy.noseTip) = (points[0], points[1], points[2])
    (copy.mouthLeft, copy.mouthRight) = (points[3], points[4])
    return copy
  }
}

extension Landmarks {
  func converted(to space: Space, of size: Size) throws(FaceError) -> Landmarks {
    Landmarks(
      points: try points.converted(to: space, of: size), outline: try outline.converted(to: space, of: size))
  }
}

extension [Landmark] {
  /// The landmarks with x and y in another space; z stays.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> [Landmark] {
    let points = try map { Point(x: $0.x, y: $0.y) }.converted(to: space, of: size)
    return zip(self, points).map { Landmark(x: $1.x, y: $1.y, z: $0.z) }
  }
}
