package import FaceCore

import func Glibc.asinf
import func Glibc.atan2f
import func Glibc.cosf
import func Glibc.sinf

/// Fits the pose of the head: the rotation of the canonical face whose projection fits the points best, by
/// least squares.
///
/// The projection is weak perspective (rotated, scaled, depth ignored). Only points above the middle of the
/// nose count, because neither smiling nor speaking moves them, and the tip of the nose is where people differ
/// most; of these, the points that agree better between people count more. The network's depth is only a first
/// guess: it is exaggerated, and replaced by the depth of the fitted face until both agree. Source: the
/// iteration is that of DeMenthon, Davis, "Model-based object pose in 25 lines of code", 1995, with Horn's
/// closed form inside.
package enum HeadPose {
  /// After ten iterations the angles change by less than a tenth of a degree.
  private static let iterations = 10

  /// Returns the pose; `nil` when the points are not a face's. Its roll is that of the line through the eyes:
  /// a tilt moves the points that show it, and yaw and pitch hardly do, so nothing has to be told apart.
  package static func fit(_ landmarks: Landmarks) -> Pose? {
    guard let rotation = rotation(landmarks), let points = FivePoints(landmarks) else { return nil }
    return Pose(rotation, roll: MeshCrop.angle(from: points.rightEye, to: points.leftEye))
  }

  /// Returns the pose as a rotation; `nil` when the points are not a face's.
  static func rotation(_ landmarks: Landmarks) -> Rotation? {
    guard landmarks.points.count == Landmarks.count else { return nil }
    let weights = CanonicalFace.points.map(\.weight)
    let model = centred(CanonicalFace.points.map(\.position), weights)
    let seen = centred(
      CanonicalFace.points.map {
        let point = landmarks.points[$0.index]
        return SIMD3(point.x, point.y, point.z)
      }, weights)
    return fit(model, to: seen, weights)
  }

  /// Returns the rotation from `model` to the points seen, whose depth is only the first guess.
  private static func fit(
    _ model: [SIMD3<Float>], to points: [SIMD3<Float>], _ weights: [Float]
  ) -> Rotation? {
    // Weighting one side of the products is weighting the products.
    let weighted = zip(model, weights).map { $0 * $1 }
    var seen = points
    var rotation = Rotation(from: weighted, to: seen)
    for iteration in 0..<iterations {
      if iteration > 0 { rotation = Rotation(from: weighted, to: seen) }
      let turned = model.map { rotation($0) }
      var together: Float = 0
      var length: Float = 0
      for ((a, b), weight) in zip(zip(turned, seen), weights) {
        together += weight * (a.x * b.x + a.y * b.y)
        length += weight * (a.x * a.x + a.y * a.y)
      }
      let scale = together / length
      guard scale > 0, scale.isFinite else { return nil }
      for index in seen.indices { seen[index].z = turned[index].z * scale }
    }
    return rotation
  }

  /// Returns the points relative to their weighted mean.
  private static func centred(_ points: [SIMD3<Float>], _ weights: [Float]) -> [SIMD3<Float>] {
    // Sums of differences, so that points in one place have no rounding left between them.
    let offsets = points.map { $0 - points[0] }
    let sum = zip(offsets, weights).reduce(SIMD3<Float>.zero) { $0 + $1.0 * $1.1 }
    let mean = sum / weights.reduce(0, +)
    return offsets.map { $0 - mean }
  }
}

extension Pose {
  /// The angles of a rotation in axes with x right, y down and z away; without rotation the head faces
  /// against z.
  ///
  /// First pitch, then yaw, then roll: R = Rz(roll) Ry(−yaw) Rx(−pitch), so that turning the picture changes
  /// only the roll. `nil` when it is not a rotation.
  /// - Parameter roll: Degrees, if not the rotation's own; the head then still looks in the same direction.
  package init?(_ rotation: Rotation, roll: Float? = nil) {
    let degrees: Float = 180 / .pi
    let rows = rotation.rows
    let roll = roll ?? atan2f(rows[1].x, rows[0].x) * degrees
    guard rows.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }), roll.isFinite else {
      return nil
    }
    // Where it looks in the picture turned back by the roll.
    let (cosine, sine) = (cosf(roll / degrees), sinf(roll / degrees))
    let right = -(cosine * rows[0].z + sine * rows[1].z)
    let down = sine * rows[0].z - cosine * rows[1].z
    self.init(
      yaw: atan2f(right, rows[2].z) * degrees, pitch: -asinf(min(max(down, -1), 1)) * degrees, roll: roll)
  }
}
