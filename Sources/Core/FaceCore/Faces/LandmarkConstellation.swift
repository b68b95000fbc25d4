/// A set of points that describe a face: all of the mesh, or a smaller set with the same regions.
///
/// The names, and for 65 and 76 points the number of points of each region and which regions share points, are
/// those of Apple Vision (VNRequestFaceLandmarksConstellation); which point of the mesh stands for each was chosen
/// here. The tip of the nose, for instance, is in `nose`, `noseCrest` and `medianLine` of 76 points.
///
/// Source of the order of 98: Wu and others, "Look at Boundary: A Boundary-Aware Face Alignment Algorithm", CVPR 2018. Which
/// point of the mesh stands for each was chosen here, those that 300-W also has by the distance from its labels.
public enum LandmarkConstellation: UInt8, Sendable, CaseIterable {
  /// 478 points.
  case mesh = 0
  case points65 = 1
  case points76 = 2
  case points98 = 3

  /// The number of points, each counted once.
  public var count: Int { indices(of: .allPoints).count }

  /// Returns the mesh indices of a region's points, in drawing order; left is the subject's left. `allPoints`
  /// contains each point once: of 98 points in the order of WFLW, otherwise in the order of the regions.
  ///
  /// An index that repeats the one before it stands for the point halfway to the next index. Only the contour of
  /// 98 points has such points, since the mesh has fewer at the jaw.
  public func indices(of region: LandmarkRegion) -> [Int] {
    if region != .allPoints { return lines[Int(region.rawValue) - 1].points }
    switch self {
    case .mesh: return Array(0..<Landmarks.count)
    case .points98: return LandmarkConstellation.orderOf98.flatMap { indices(of: $0) }
    case .points65, .points76:
      var seen: Set<Int> = []
      return lines.flatMap(\.points).filter { seen.insert($0).inserted }
    }
  }

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
    let indices = constellation.indices(of: region)
    return indices.indices.map { place in
      let isHalfway = place > 0 && indices[place] == indices[place - 1]
      return points[indices[place]].middle(to: points[indices[isHalfway ? place + 1 : place]])
    }
  }
}
