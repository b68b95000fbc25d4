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

extension Space {
  fileprivate typealias Function<Value> = (
    UnsafePointer<face_space>?, UInt32, UInt32, UnsafeMutablePointer<Value>?
  ) -> face_status

  fileprivate func convert<Value>(
    _ value: Value, _ size: Size, _ function: Function<Value>
  ) throws(FaceError) -> Value {
    var (space, value) = (try c(), value)
    try check(function(&space, try number(size.width, "width"), try number(size.height, "height"), &value))
    return value
  }
}

extension Box {
  /// The box in another space, from pixels of an upright image.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Box {
    Box(try space.convert(c, size, face_box_to_space))
  }

  /// The box in pixels of an upright image, from another space.
  public func converted(from space: Space, of size: Size) throws(FaceError) -> Box {
    Box(try space.convert(c, size, face_box_from_space))
  }
}

extension Circle {
  /// The circle in another space, from pixels of an upright image. Where it would become an ellipse, the circle of its area.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Circle {
    Circle(try space.convert(c, size, face_circle_to_space))
  }

  /// The circle in pixels of an upright image, from another space.
  public func converted(from space: Space, of size: Size) throws(FaceError) -> Circle {
    Circle(try space.convert(c, size, face_circle_from_space))
  }
}

extension Point {
  /// The point in another space, from pixels of an upright image.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Point {
    Point(try space.convert(c, size) { face_points_to_space($0, $1, $2, $3, 1) })
  }

  /// The point in pixels of an upright image, from another space.
  public func converted(from space: Space, of size: Size) throws(FaceError) -> Point {
    Point(try space.convert(c, size) { face_points_from_space($0, $1, $2, $3, 1) })
  }

  /// The point as a position in a box, 0 to 1 from its top-left corner.
  public func relative(to box: Box) throws(FaceError) -> Point {
    var (point, box) = (c, box.c)
    try check(face_points_to_box(&box, &point, 1))
    return Point(point)
  }
}

extension Points {
  mutating func convert(to space: Space, of size: Size) throws(FaceError) {
    for point in [\Points.leftEye, \.rightEye, \.noseTip, \.mouthLeft, \.mouthRight] {
      self[keyPath: point] = try self[keyPath: point].converted(to: space, of: size)
    }
  }
}

extension Landmark {
  /// The landmark with x and y in another space; z stays.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Landmark {
    let point = try Point(x: x, y: y).converted(to: space, of: size)
    return Landmark(x: point.x, y: point.y, z: z)
  }
}
