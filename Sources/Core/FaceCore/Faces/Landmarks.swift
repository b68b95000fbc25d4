/// A position with depth: x and y in pixels of the upright image, z in the same unit, smaller towards the
/// camera, 0 at the head's centre.
public struct Point3D: Equatable, Sendable, BitwiseCopyable {
  public var x: Float
  public var y: Float
  public var z: Float

  public init(x: Float, y: Float, z: Float) {
    self.x = x
    self.y = y
    self.z = z
  }

  public var point: Point { Point(x: x, y: y) }

  package func middle(to other: Point3D) -> Point3D {
    Point3D(x: (x + other.x) / 2, y: (y + other.y) / 2, z: (z + other.z) / 2)
  }
}

/// The dense points of one face. Source of the numbering: MediaPipe Face Mesh with irises.
public struct Landmarks: Equatable, Sendable {
  public static let count = 478

  /// `count` points in the mesh's own order.
  public var points: [Point3D]
  /// 0…1: the landmark network's confidence that these are the points of a face.
  public var confidence: Float

  /// - Parameter points: `count` of them.
  public init(points: [Point3D], confidence: Float) {
    self.points = points
    self.confidence = confidence
  }
}

/// The expected distance of each point of the mesh from its true position, in pixels of the upright image. The
/// true position of a point that something covers is under the cover.
public struct PointPrecisions: Measurement {
  public static let count = Landmarks.count

  /// `count` values in the mesh's order.
  public var values: [Float]

  public init(values: [Float]) {
    self.values = values
  }
}

/// The 52 coefficients of a facial expression, 0…1 each. Source: MediaPipe's blendshape model; the names are
/// ARKit's.
public struct Expressions: Measurement {
  public static let count = 52

  /// `count` values in the order of `names`.
  public var values: [Float]

  public init(values: [Float]) {
    self.values = values
  }

  /// Returns the coefficient of a name in `names`; `nil` for another name, or when there are not `count`
  /// values.
  public subscript(name: StaticString) -> Float? {
    guard values.count == Expressions.count, let index = Expressions.positions["\(name)"] else { return nil }
    return values[index]
  }

  private static let positions = Dictionary(
    uniqueKeysWithValues: names.enumerated().map { ("\($0.element)", $0.offset) })
}
