// Source of the regions in Proto/faces.json: the numbering is MediaPipe's
// (mediapipe/python/solutions/face_mesh_connections.py, where eyes, eyebrows, irises, lips and the oval are named; uv
// map in modules/face_geometry/data). What a region covers follows Apple Vision's VNFaceLandmarks2D. Nose, crest and
// median line have no table there: they were read off the mean face, and each is its own mirror image. The contours are
// parts of those tables; root, base and wings of the nose and the cheeks were chosen on faces.
extension LandmarkRegion {
  /// Whether the last point is joined to the first.
  public var isClosed: Bool { LandmarkConstellation.mesh.path(of: self) == .closed }

  /// Mesh indices of the region's points, in drawing order; left is the subject's left.
  public var indices: [Int] { LandmarkConstellation.mesh.indices(of: self) }
}

extension FaceContour {
  /// How the points of the contour are joined.
  public var path: LandmarkPath { line.path }

  /// Mesh indices of the contour's points, in drawing order.
  public var indices: [Int] { line.points.map(\.nearest) }

  private var line: LandmarkTable.Line { LandmarkTable.contours[Int(rawValue) - 1] }
}

extension Landmarks {
  /// Returns the points of a region, in drawing order; empty unless there are `count` points.
  public func points(of region: LandmarkRegion) -> [Point3D] {
    guard points.count == Landmarks.count else { return [] }
    return region == .allPoints ? points : region.indices.map { points[$0] }
  }
}
