/// A set of points that describe a face: all of the mesh, or a smaller set with the same regions.
///
/// The names, and for 65 and 76 points the number of points of each region and which regions share points, are
/// those of Apple Vision (VNRequestFaceLandmarksConstellation); which point of the mesh stands for each was chosen
/// here. The tip of the nose, for instance, is in `nose`, `noseCrest` and `medianLine` of 76 points.
/// `Points98` has the source of 98.
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
    switch self {
    case .mesh: region.indices
    case .points65: region == .allPoints ? allPoints : LandmarkConstellation.regionOf65(region)
    case .points76: region == .allPoints ? allPoints : LandmarkConstellation.regionOf76(region)
    case .points98: Points98.indices(of: region)
    }
  }

  /// Returns how the points of a region are joined.
  public func path(of region: LandmarkRegion) -> LandmarkPath {
    switch region {
    case .allPoints, .leftPupil, .rightPupil: .disconnected
    case .leftEyebrow, .rightEyebrow: self == .points65 ? .open : .closed
    case .nose: self == .points65 || self == .points98 ? .open : .closed
    default: region.isClosed ? .closed : .open
    }
  }

  private var allPoints: [Int] {
    var seen: Set<Int> = []
    return LandmarkRegion.allCases.filter { $0 != .allPoints }.flatMap { indices(of: $0) }
      .filter { seen.insert($0).inserted }
  }

  private static func regionOf65(_ region: LandmarkRegion) -> [Int] {
    switch region {
    case .allPoints: []
    case .faceContour: [454, 361, 397, 379, 377, 152, 148, 150, 172, 132, 234]
    case .leftEye: [362, 384, 386, 388, 263, 390, 374, 381]
    case .rightEye: [133, 157, 159, 161, 33, 163, 145, 154]
    // Along the upper edge from the inner end.
    case .leftEyebrow: [336, 296, 334, 300]
    case .rightEyebrow: [107, 66, 105, 70]
    case .leftPupil, .rightPupil: region.indices
    // From beside the bridge down the left side, along the base, and up the right side.
    case .nose: [351, 420, 279, 294, 2, 64, 49, 198, 122]
    case .noseCrest: [168, 197, 5]
    case .medianLine: [168, 197, 5, 2, 0, 13, 14, 17, 152]
    case .outerLips: [291, 270, 267, 0, 37, 40, 61, 181, 17, 405]
    case .innerLips: [310, 13, 80, 88, 14, 318]
    }
  }

  private static func regionOf76(_ region: LandmarkRegion) -> [Int] {
    switch region {
    case .allPoints: []
    case .faceContour:
      [454, 323, 361, 288, 397, 379, 400, 377, 152, 148, 176, 150, 172, 58, 132, 93, 234]
    case .leftEye: [362, 385, 387, 263, 373, 380]
    case .rightEye: [133, 158, 160, 33, 144, 153]
    // From the inner end along the lower edge, back along the upper.
    case .leftEyebrow: [285, 282, 276, 300, 334, 336]
    case .rightEyebrow: [55, 52, 46, 70, 105, 107]
    case .leftPupil, .rightPupil: region.indices
    // From the tip round the left wing, along the base, and round the right wing.
    case .nose: [Landmarks.noseTip, 279, 294, 326, 2, 97, 64, 49]
    case .noseCrest: region.indices
    case .medianLine: [168, 197, 5, Landmarks.noseTip, 2, 0, 13, 14, 17, 152]
    case .outerLips: [291, 270, 269, 267, 0, 37, 39, 40, 61, 91, 84, 17, 314, 321]
    case .innerLips: [310, 13, 80, 88, 14, 318]
    }
  }
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
