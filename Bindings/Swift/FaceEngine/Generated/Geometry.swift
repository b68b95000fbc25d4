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
