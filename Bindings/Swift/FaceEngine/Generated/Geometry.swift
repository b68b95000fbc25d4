// Made by Tools/generate from Proto/contract.json. Not to be edited.
// swift-format-ignore-file

package import CFaceEngine

/// A point, in the coordinates that its context defines.
public struct Point: Sendable, Hashable {
  /// The x.
  public var x: Float
  /// The y.
  public var y: Float

  /// A point of its numbers.
  public init(x: Float, y: Float) {
    self.x = x
    self.y = y
  }

  package init(_ c: face_point) {
    self.init(x: c.x, y: c.y)
  }

  package var c: face_point { face_point(x: x, y: y) }

  /// The point in another space, from pixels of an upright image.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Point {
    Point(try space.convert(c, size, { face_points_to_space($0, $1, $2, $3, 1) }))
  }

  /// The point in pixels of an upright image, from another space.
  public func converted(from space: Space, of size: Size) throws(FaceError) -> Point {
    Point(try space.convert(c, size, { face_points_from_space($0, $1, $2, $3, 1) }))
  }
}

/// An axis-parallel box.
public struct Box: Sendable, Hashable {
  /// (x, y) is the top-left corner.
  public var x: Float
  /// (x, y) is the top-left corner.
  public var y: Float
  /// (x, y) is the top-left corner.
  public var width: Float
  /// (x, y) is the top-left corner.
  public var height: Float

  /// A box of its numbers.
  public init(x: Float, y: Float, width: Float, height: Float) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  package init(_ c: face_box) {
    self.init(x: c.x, y: c.y, width: c.width, height: c.height)
  }

  package var c: face_box { face_box(x: x, y: y, width: width, height: height) }

  /// The box in another space, from pixels of an upright image.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Box {
    Box(try space.convert(c, size, face_box_to_space))
  }

  /// The box in pixels of an upright image, from another space.
  public func converted(from space: Space, of size: Size) throws(FaceError) -> Box {
    Box(try space.convert(c, size, face_box_from_space))
  }
}

/// A circle, such as the mask of a guided check.
public struct Circle: Sendable, Hashable {
  /// (x, y) is the centre.
  public var x: Float
  /// (x, y) is the centre.
  public var y: Float
  /// (x, y) is the centre.
  public var radius: Float

  /// A circle of its numbers.
  public init(x: Float, y: Float, radius: Float) {
    self.x = x
    self.y = y
    self.radius = radius
  }

  package init(_ c: face_circle) {
    self.init(x: c.x, y: c.y, radius: c.radius)
  }

  package var c: face_circle { face_circle(x: x, y: y, radius: radius) }

  /// The circle in another space, from pixels of an upright image.
  public func converted(to space: Space, of size: Size) throws(FaceError) -> Circle {
    Circle(try space.convert(c, size, face_circle_to_space))
  }

  /// The circle in pixels of an upright image, from another space.
  public func converted(from space: Space, of size: Size) throws(FaceError) -> Circle {
    Circle(try space.convert(c, size, face_circle_from_space))
  }
}

/// One point of the face mesh.
public struct Landmark: Sendable, Hashable {
  /// Pixels of the upright image.
  public var x: Float
  /// Pixels of the upright image.
  public var y: Float
  /// In the unit of x; smaller towards the camera, 0 at the head's centre.
  public var z: Float

  /// A landmark of its numbers.
  public init(x: Float, y: Float, z: Float) {
    self.x = x
    self.y = y
    self.z = z
  }

  package init(_ c: face_landmark) {
    self.init(x: c.x, y: c.y, z: c.z)
  }

  package var c: face_landmark { face_landmark(x: x, y: y, z: z) }
}

/// The origin and unit of a coordinate space. docs/coordinates.md has the formulas.
public enum Space: Sendable, Hashable {
  /// Pixels of the upright image, origin top-left: what results have.
  case pixels
  /// 0 to 1 over the upright image, origin top-left (AVFoundation).
  case normalised
  /// The same with origin bottom-left, y up (Vision).
  case normalisedBottomLeft
  /// Pixels of a view that shows the image, origin top-left.
  /// - Parameters:
  ///   - rotation: 0, 90, 180 or 270 degrees clockwise: how the image is turned before it is shown.
  ///   - isMirrored: after the turn, left and right are exchanged, as in a mirror.
  case view(width: Float, height: Float, fit: Fit = .contain, rotation: Int = 0, isMirrored: Bool = false)
  /// Pixels of the upright image, origin bottom-left, y up (CIDetector).
  case pixelsBottomLeft

  package func c() throws(FaceError) -> face_space {
    var c = face_space()
    face_space_init(&c)
    c.kind =
      switch self {
      case .pixels: 0
      case .normalised: 1
      case .normalisedBottomLeft: 2
      case .view: 3
      case .pixelsBottomLeft: 4
      }
    if case .view(let width, let height, let fit, let rotation, let isMirrored) = self {
      c.view_width = width
      c.view_height = height
      c.fit = fit.rawValue
      c.rotation = try number(rotation, "rotation")
      c.mirrored = isMirrored ? 1 : 0
    }
    return c
  }
}
