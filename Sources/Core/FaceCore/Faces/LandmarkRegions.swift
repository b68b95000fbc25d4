/// The points of the mesh that form each region, in drawing order.
///
/// Sources: the numbering is MediaPipe's (mediapipe/python/solutions/face_mesh_connections.py, where eyes,
/// eyebrows, irises, lips and the oval are named; uv map in modules/face_geometry/data). What a region covers
/// follows Apple Vision's VNFaceLandmarks2D. Nose, crest and median line have no table there: they were read
/// off the mean face, and each is its own mirror image.
extension LandmarkRegion {
  /// Whether the last point is joined to the first.
  public var isClosed: Bool {
    switch self {
    case .leftEye, .rightEye, .leftEyebrow, .rightEyebrow, .nose, .outerLips, .innerLips: true
    case .allPoints, .faceContour, .leftPupil, .rightPupil, .noseCrest, .medianLine: false
    }
  }

  /// Mesh indices of the region's points; left is the subject's left.
  public var indices: [Int] {
    switch self {
    case .allPoints: Array(0..<Landmarks.count)
    // From beside the left eye down, round the chin, and up to beside the right eye.
    case .faceContour:
      [
        356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136, 172, 58, 132, 93,
        234, 127,
      ]
    // From the inner corner over the upper lid to the outer one and back along the lower.
    case .leftEye: [362, 398, 384, 385, 386, 387, 388, 466, 263, 249, 390, 373, 374, 380, 381, 382]
    case .rightEye: [133, 173, 157, 158, 159, 160, 161, 246, 33, 7, 163, 144, 145, 153, 154, 155]
    // From the inner end along the lower edge, back along the upper.
    case .leftEyebrow: [285, 295, 282, 283, 276, 300, 293, 334, 296, 336]
    case .rightEyebrow: [55, 65, 52, 53, 46, 70, 63, 105, 66, 107]
    // The middle of the iris; the four points that follow each are its rim.
    case .leftPupil: [473]
    case .rightPupil: [468]
    // From the bridge down the left side, along the base, and up the right side.
    case .nose:
      [
        168, 417, 351, 399, 420, 360, 279, 331, 294, 327, 326, 2, 97, 98, 64, 102, 49, 131, 198, 174, 122,
        193,
      ]
    // From the bridge to the tip.
    case .noseCrest: [168, 6, 197, 195, 5, Landmarks.noseTip]
    // From the hairline to the chin.
    case .medianLine:
      [
        10, 151, 9, 8, 168, 6, 197, 195, 5, 4, 1, 19, 94, 2, 164, 0, 11, 12, 13, 14, 15, 16, 17, 18, 200, 199,
        175, 152,
      ]
    // From the left corner along the upper edge to the right corner, back along the lower.
    case .outerLips:
      [291, 409, 270, 269, 267, 0, 37, 39, 40, 185, 61, 146, 91, 181, 84, 17, 314, 405, 321, 375]
    case .innerLips:
      [308, 415, 310, 311, 312, 13, 82, 81, 80, 191, 78, 95, 88, 178, 87, 14, 317, 402, 318, 324]
    }
  }
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
