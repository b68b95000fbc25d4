package import FaceCore
package import Imaging

import func Glibc.powf

/// Estimates the distance of each point of the mesh from its true position.
///
/// The estimate is a sum of three distances, relative to the distance between the outer corners of the eyes:
/// how much people and the mesh usually disagree about such a point (little for the corner of an eye, much for
/// the outline of a cheek); how far its part of the face moves, more than that of a clear face does, when the
/// network sees the face in slightly rotated and scaled crops, which parts that are covered or blurred do; and
/// how far all points are from the five that the detector found, where they contradict each other. The constants were
/// fitted on covered, blurred, dark, small and compressed faces, too. Tests/Benchmarks/landmarks.py reports how well
/// they predict clear faces.
package enum ExpectedPointError {
  /// The additional crops: degrees by which they are rotated, and their size relative to the usual one.
  static let crops: [(turn: Float, scale: Float)] = [(-10, 1.08), (10, 0.93)]

  /// Returns the estimates; `nil` for points without extent.
  /// - Parameters:
  ///   - landmarks: the face's points, `Landmarks.count` of them.
  ///   - others: the same points found in other crops.
  ///   - detected: the detector's points of the face, if it found any; points made from `landmarks` change
  ///     nothing.
  package static func estimate(
    _ landmarks: Landmarks, beside others: [Landmarks], detected: FivePoints?
  ) -> PointPrecisions? {
    let points = landmarks.points
    // In three dimensions, since in the picture the eyes of a profile are close to each other.
    let eyes = points[Landmarks.rightEyeOuterCorner].distance(to: points[Landmarks.leftEyeOuterCorner])
    guard eyes > 0, eyes.isFinite else { return nil }
    let contradiction = contradiction(landmarks, detected) / eyes
    let shared = contradictionWeight * max(0, contradiction - usualContradiction)
    // If the network sees no face in a crop, the largest spread is assumed.
    let moved = points.indices.map { index in
      others.isEmpty ? missingSpread : spread(index, landmarks, others) / eyes
    }
    let labelled = parts.flatMap { part in
      let mean = part.points.reduce(Float(0)) { $0 + moved[$1.index] } / Float(part.points.count)
      let hidden = part.weight * max(0, mean - usualSpread)
      return part.points.map { (place: points[$0.index], error: $0.error, hidden: hidden) }
    }
    return PointPrecisions(
      values: points.indices.map { index in
        let like = nearest(to: points[index], labelled)
        let usual = like.error * scale * powf(min(moved[index], maxUsualSpread) + 0.001, exponent)
        return eyes * (usual + like.hidden + shared)
      })
  }

  private static let scale: Float = 2.2
  private static let exponent: Float = 0.2
  // Lengths are relative to the distance between the outer corners of the eyes.
  private static let maxUsualSpread: Float = 0.2
  /// The mean of a part of the face; parts of clear faces rarely have more.
  private static let usualSpread: Float = 0.012
  private static let spreadWeight: Float = 1
  /// Behind a mask or a hand the network draws a mouth at rest, which moves little and may be far off.
  private static let lipsWeight: Float = 2
  private static let missingSpread: Float = 0.3
  /// Detectors of upright faces and the mesh disagree by less on clear faces.
  private static let usualContradiction: Float = 0.3
  private static let contradictionWeight: Float = 1.7

  /// Returns the root mean square of the distances between the detector's points and the mesh's; 0 without
  /// such points.
  private static func contradiction(_ landmarks: Landmarks, _ detected: FivePoints?) -> Float {
    guard let detected, let found = FivePoints(landmarks) else { return 0 }
    let parts: [(FivePoints) -> Point] = [
      { $0.leftEye }, { $0.rightEye }, { $0.noseTip }, { $0.mouthLeft }, { $0.mouthRight },
    ]
    let mean = parts.reduce(Float(0)) { sum, part in
      let distance = part(detected).distance(to: part(found))
      return sum + distance * distance / Float(parts.count)
    }
    return mean.isFinite ? mean.squareRoot() : 0
  }

  /// Returns the standard deviation of a point's positions.
  private static func spread(_ index: Int, _ landmarks: Landmarks, _ others: [Landmarks]) -> Float {
    func place(_ found: Landmarks) -> SIMD2<Float> { SIMD2(found.points[index].x, found.points[index].y) }
    func square(_ vector: SIMD2<Float>) -> Float { (vector * vector).sum() }
    let (own, count) = (place(landmarks), Float(others.count + 1))
    let mean = others.reduce(own) { $0 + place($1) } / count
    let squares = others.reduce(square(own - mean)) { $0 + square(place($1) - mean) }
    return (squares / count).squareRoot()
  }

  /// Returns the nearest labelled point on the face.
  private static func nearest(
    to point: Point3D, _ labelled: [(place: Point3D, error: Float, hidden: Float)]
  ) -> (place: Point3D, error: Float, hidden: Float) {
    var (nearest, found) = (Float.infinity, labelled[0])
    for other in labelled {
      let (x, y, z) = (other.place.x - point.x, other.place.y - point.y, other.place.z - point.z)
      let squared = x * x + y * y + z * z
      if squared < nearest { (nearest, found) = (squared, other) }
    }
    return found
  }

  /// The parts of the face with the weights of their spreads and their labelled points: the geometric mean of
  /// the errors, relative to the distance between the outer corners of the eyes; the same for left and right.
  private static let parts: [(weight: Float, points: [(index: Int, error: Float)])] = [
    (spreadWeight, both(contour)), (spreadWeight, both(eyebrows)), (spreadWeight, both(nose)),
    (spreadWeight, both(eyes)), (spreadWeight * lipsWeight, both(lips)),
  ]

  private typealias Pair = (right: Int, left: Int, error: Float)

  private static func both(_ pairs: [Pair]) -> [(index: Int, error: Float)] {
    pairs.flatMap { pair in
      pair.right == pair.left
        ? [(pair.right, pair.error)] : [(pair.right, pair.error), (pair.left, pair.error)]
    }
  }

  private static let contour: [Pair] = [
    (162, 389, 0.2355), (234, 454, 0.1178), (93, 323, 0.1543), (58, 288, 0.0955), (172, 397, 0.0744),
    (136, 365, 0.0693), (149, 378, 0.0533), (148, 377, 0.0721), (152, 152, 0.0527),
  ]
  private static let eyebrows: [Pair] = [
    (71, 301, 0.1337), (63, 293, 0.0500), (105, 334, 0.0597), (66, 296, 0.0648), (107, 336, 0.0623),
  ]
  private static let nose: [Pair] = [
    (168, 168, 0.0410), (197, 197, 0.0365), (5, 5, 0.0432), (4, 4, 0.0507), (75, 305, 0.0473),
    (97, 326, 0.0379), (2, 2, 0.0504),
  ]
  private static let eyes: [Pair] = [
    (33, 263, 0.0445), (160, 387, 0.0412), (158, 385, 0.0378), (133, 362, 0.0420), (153, 380, 0.0405),
    (144, 373, 0.0392),
  ]
  private static let lips: [Pair] = [
    (61, 291, 0.0397), (39, 269, 0.0596), (37, 267, 0.0472), (0, 0, 0.0488), (84, 314, 0.0420),
    (17, 17, 0.0340), (181, 405, 0.0592), (78, 308, 0.0422), (82, 312, 0.0414), (13, 13, 0.0376),
    (87, 317, 0.0474), (14, 14, 0.0474),
  ]
}

extension FaceMesh {
  /// Returns the expected error of each point, running the network once for each of `ExpectedPointError.crops`.
  /// - Parameter detected: the detector's points of the face, if it found any.
  package func expectedPointErrors(
    of landmarks: Landmarks, detected: FivePoints?, in picture: UprightImage
  ) throws(Status) -> PointPrecisions? {
    guard let crop = MeshCrop.around(landmarks) else { return nil }
    var others: [Landmarks] = []
    for other in ExpectedPointError.crops {
      let turned = RotatedSquare(
        center: crop.center, side: crop.side * other.scale, angle: crop.angle + other.turn)
      if let found = try self.landmarks(in: turned, of: picture) { others.append(found) }
    }
    return ExpectedPointError.estimate(landmarks, beside: others, detected: detected)
  }
}
