internal import CFaceEngine

/// The landmarks of a face: the 478 points of the mesh, its regions, and smaller sets of points.
public struct Landmarks: Sendable, Hashable {
  /// The points of the mesh, in MediaPipe's order.
  public internal(set) var points: [Landmark]
  /// The outline of the face in the picture: the contour of the smaller constellations.
  var outline: [Landmark]

  /// The points of a region, in drawing order.
  /// - Parameter constellation: the mesh, or a smaller set of points, such as Vision's 65 and 76. ``Region/allPoints``
  ///   has each of its points once: of 98 in the order of WFLW, otherwise in the order of the regions.
  public func points(of region: Region, in constellation: Constellation = .mesh) -> [Landmark] {
    if constellation == .mesh { return region == .allPoints ? points : region.indices.map { points[$0] } }
    let contour = Dictionary(
      uniqueKeysWithValues: zip(Constellation.points98.places(of: .faceContour), outline))
    return constellation.places(of: region).map { contour[$0] ?? $0.point(of: points) }
  }

  /// The points of one of ML Kit's contours, in drawing order.
  public func contour(_ contour: Contour) -> [Landmark] {
    contour.indices.map { points[$0] }
  }

  /// The point that has a name.
  public subscript(_ point: MeshPoint) -> Landmark { points[Int(point.rawValue)] }

  mutating func convert(to space: Space, of size: Size) throws(FaceError) {
    points = try points.map { landmark throws(FaceError) in try landmark.converted(to: space, of: size) }
    outline = try outline.map { landmark throws(FaceError) in try landmark.converted(to: space, of: size) }
  }
}

/// A point between two points of the mesh.
struct Place: Hashable {
  private let first: Int
  private let second: Int
  private let share: Float

  init(_ first: Int, _ second: Int, _ share: Float) {
    (self.first, self.second, self.share) = (first, second, share)
  }

  func point(of mesh: [Landmark]) -> Landmark {
    let (one, two) = (mesh[first], mesh[second])
    return Landmark(
      x: one.x + share * (two.x - one.x), y: one.y + share * (two.y - one.y),
      z: one.z + share * (two.z - one.z))
  }
}

extension Region {
  /// How the points of the region are joined.
  public func path(in constellation: Constellation = .mesh) -> RegionPath {
    var path = RegionPath.disconnected.rawValue
    face_constellation_path(constellation.rawValue, rawValue, &path)
    return RegionPath(rawValue: path) ?? .disconnected
  }
}

/// The 52 coefficients of an expression, 0 to 1 each.
public struct Expressions: Sendable, Hashable {
  /// In the order of ``Expression``.
  public let values: [Float]

  /// One of them.
  public subscript(_ expression: Expression) -> Float { values[expression.rawValue] }
}

/// The measures of ISO/IEC 29794-5 of a face.
public struct ISOQuality: Sendable, Hashable {
  /// The native value of each measure, then the component of each.
  let values: [Float]

  /// What was measured, in the unit of the measure.
  public func value(of measure: ISOMeasure) -> Float { values[Int(measure.rawValue)] }

  /// The quality component, 0 (worst) to 100; nil if it could not be assessed.
  public func component(of measure: ISOMeasure) -> Int? {
    let component = values[ISOMeasure.allCases.count + Int(measure.rawValue)]
    return component < 0 ? nil : Int(component)
  }
}
