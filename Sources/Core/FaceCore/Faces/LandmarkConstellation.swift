/// A set of points that describe a face: all of the mesh, or a smaller set with the same regions.
///
/// The names, and for 65 and 76 points the number of points of each region and which regions share points, are
/// those of Apple Vision (VNRequestFaceLandmarksConstellation). They are places of the 98 points, except for points
/// that these do not have, which were chosen here. The tip of the nose, for instance, is in `nose`, `noseCrest` and
/// `medianLine` of 76 points.
///
/// Source of the order of 98: Wu and others, "Look at Boundary: A Boundary-Aware Face Alignment Algorithm", CVPR 2018.
/// The places were fitted to WFLW's labels by Tests/Benchmarks/constellations.py, those of the contour to faces that
/// look straight ahead.
public enum LandmarkConstellation: UInt8, Sendable, CaseIterable {
  /// 478 points.
  case mesh = 0
  case points65 = 1
  case points76 = 2
  case points98 = 3

  /// The number of points, each counted once.
  public var count: Int { places(of: .allPoints).count }

  /// Returns where a region's points lie on the mesh, in drawing order; left is the subject's left. `allPoints`
  /// contains each point once: of 98 points in the order of WFLW, otherwise in the order of the regions.
  ///
  /// The contour of a face is its `FaceOutline`, if it has one.
  public func places(of region: LandmarkRegion) -> [LandmarkPlace] {
    if region != .allPoints { return lines[Int(region.rawValue) - 1].points }
    switch self {
    case .mesh: return (0..<Landmarks.count).map { LandmarkPlace($0, $0, 0) }
    case .points98: return LandmarkConstellation.orderOf98.flatMap { places(of: $0) }
    case .points65, .points76:
      var seen: Set<LandmarkPlace> = []
      return lines.flatMap(\.points).filter { seen.insert($0).inserted }
    }
  }

  /// Returns the point of the mesh that is nearest to each point of a region.
  public func indices(of region: LandmarkRegion) -> [Int] { places(of: region).map(\.nearest) }

  /// Returns how the points of a region are joined.
  public func path(of region: LandmarkRegion) -> LandmarkPath {
    region == .allPoints ? .disconnected : lines[Int(region.rawValue) - 1].path
  }

  private var lines: [LandmarkTable.Line] {
    switch self {
    case .mesh: LandmarkTable.mesh
    case .points65: LandmarkTable.points65
    case .points76: LandmarkTable.points76
    case .points98: LandmarkTable.points98
    }
  }

  /// The median line has no points of its own.
  private static let orderOf98: [LandmarkRegion] = [
    .faceContour, .rightEyebrow, .leftEyebrow, .noseCrest, .nose, .rightEye, .leftEye, .outerLips, .innerLips,
    .rightPupil, .leftPupil,
  ]
}

/// How the points of a region are joined to a line. The numbers are those of `FACE_PATH_...` and of Apple's
/// VNPointsClassification.
public enum LandmarkPath: UInt8, Sendable {
  case disconnected = 0
  /// Each point is joined to the next.
  case open = 1
  /// The last point is also joined to the first.
  case closed = 2
}

extension Landmarks {
  /// Returns the points of a region, in drawing order; empty unless there are `count` points.
  public func points(of region: LandmarkRegion, _ constellation: LandmarkConstellation) -> [Point3D] {
    guard points.count == Landmarks.count else { return [] }
    let places = constellation.places(of: region)
    let hasContour = constellation != .mesh && [.allPoints, .faceContour, .medianLine].contains(region)
    let outline = hasContour ? FaceOutline(of: points)?.points : nil
    let contour = LandmarkConstellation.points98.places(of: .faceContour)
    let seen = Dictionary(uniqueKeysWithValues: zip(contour, outline ?? []))
    return places.map { seen[$0] ?? $0.point(of: points) }
  }
}
