// Source of the regions in Proto/faces.json: the numbering is MediaPipe's
// (mediapipe/python/solutions/face_mesh_connections.py, where eyes, eyebrows, irises, lips and the oval are named; uv
// map in modules/face_geometry/data). What a region covers follows Apple Vision's VNFaceLandmarks2D. Nose, crest and
// median line have no table there: they were read off the mean face, and each is its own mirror image.
extension LandmarkRegion {
  /// Whether the last point is joined to the first.
  public var isClosed: Bool { LandmarkConstellation.mesh.path(of: self) == .closed }

  /// Mesh indices of the region's points, in drawing order; left is the subject's left.
  public var indices: [Int] { LandmarkConstellation.mesh.indices(of: self) }
}

extension Landmarks {
  /// Indices of single points that have a name of their own.
  public static let leftEyeOuterCorner = 263
  public static let leftEyeInnerCorner = 362
  public static let rightEyeInnerCorner = 133
  public static let rightEyeOuterCorner = 33
  /// The foremost point of the nose (1, which is often called the tip, lies below it).
  public static let noseTip = 4
  /// The midpoints of the lids' edges.
  public static let leftUpperLid = 386
  public static let rightUpperLid = 159
  public static let leftLowerLid = 374
  public static let rightLowerLid = 145
  /// The point where the nose meets the groove above the upper lip.
  public static let noseBase = 2
  public static let upperLipTop = 0
  public static let mouthLeft = 291
  public static let mouthRight = 61
  public static let upperLipInner = 13
  public static let lowerLipInner = 14

  /// Returns the points of a region, in drawing order; empty unless there are `count` points.
  public func points(of region: LandmarkRegion) -> [Point3D] {
    guard points.count == Landmarks.count else { return [] }
    return region == .allPoints ? points : region.indices.map { points[$0] }
  }
}
