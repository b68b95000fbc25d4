/// A place on the mesh, between two of its points.
public struct LandmarkPlace: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// Index of the nearer point.
  public let nearest: Int
  public let other: Int
  /// 0…0.5: how far the place lies from the nearer point to the other.
  public let share: Float

  init(_ nearest: Int, _ other: Int, _ share: Float) {
    (self.nearest, self.other, self.share) = (nearest, other, share)
  }

  public init(integerLiteral point: Int) { self.init(point, point, 0) }

  func point(of mesh: [Point3D]) -> Point3D {
    let (one, two) = (mesh[nearest], mesh[other])
    return Point3D(
      x: one.x + share * (two.x - one.x), y: one.y + share * (two.y - one.y),
      z: one.z + share * (two.z - one.z))
  }
}
