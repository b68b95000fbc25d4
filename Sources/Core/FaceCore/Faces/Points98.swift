/// The constellation of 98 points in the order of WFLW, which runs from the picture's left to its right.
///
/// Source of the order: Wu and others, "Look at Boundary: A Boundary-Aware Face Alignment Algorithm", CVPR 2018. Which
/// point of the mesh stands for each was chosen here, those that 300-W also has by the distance from its labels.
enum Points98 {
  /// The mesh's points, as `LandmarkConstellation.indices` describes them.
  private static let order: [Int] =
    // 0…32, the contour from beside the right eye over the chin (16) to beside the left eye.
    [127, 234, 137, 137, 177, 177, 215, 138, 172, 172, 136, 150, 149, 176, 148, 148, 152]
    + [152, 377, 400, 378, 379, 365, 365, 397, 367, 435, 435, 401, 401, 366, 454, 356]
    // 33…41, the right eyebrow: the upper edge from its outer end, back along the lower edge.
    + [70, 63, 105, 66, 107, 55, 65, 52, 53]
    // 42…50, the left eyebrow: the upper edge from its inner end, back along the lower edge.
    + [336, 296, 334, 293, 300, 283, 282, 295, 285]
    // 51…54, the crest of the nose down to its tip; 55…59, the edge below it.
    + [168, 197, 5, Landmarks.noseTip] + [240, 97, 2, 326, 460]
    // 60…67 and 68…75, the right and the left eye: the upper lid, back along the lower one.
    + [33, 160, 159, 158, 133, 153, 145, 144] + [362, 385, 386, 387, 263, 373, 374, 380]
    // 76…87 and 88…95, the outer and the inner edge of the lips from the right corner, upper lip first.
    + [61, 40, 37, 0, 267, 270, 291, 405, 314, 17, 84, 181] + [78, 82, 13, 312, 308, 317, 14, 87]
    // 96 and 97, the pupils.
    + LandmarkRegion.rightPupil.indices + LandmarkRegion.leftPupil.indices

  static func indices(of region: LandmarkRegion) -> [Int] { places(of: region).map { order[$0] } }

  /// Returns the places of a region's points in WFLW's order.
  private static func places(of region: LandmarkRegion) -> [Int] {
    switch region {
    case .allPoints: Array(order.indices)
    case .faceContour: Array(0...32)
    case .rightEyebrow: Array(33...41)
    case .leftEyebrow: Array(42...50)
    case .noseCrest: Array(51...54)
    case .nose: Array(55...59)
    case .rightEye: Array(60...67)
    case .leftEye: Array(68...75)
    case .outerLips: Array(76...87)
    case .innerLips: Array(88...95)
    case .rightPupil: [96]
    case .leftPupil: [97]
    case .medianLine: [51, 52, 53, 54, 57, 79, 90, 94, 85, 16]
    }
  }
}
