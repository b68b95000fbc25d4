package import FaceCore

import func Glibc.asinf
import func Glibc.atan2f

/// Fits the pose of the head: the rotation of the canonical face whose projection fits the points best, by
/// least squares.
///
/// The projection is weak perspective (rotated, scaled, depth ignored). Only points above the tip of the nose
/// count, because neither smiling nor speaking moves them. The network's depth is only a first guess: it is
/// exaggerated, and replaced by the depth of the fitted face until both agree. Source: the iteration is that
/// of DeMenthon, Davis, "Model-based object pose in 25 lines of code", 1995, with Horn's closed form inside.
package enum HeadPose {
  /// After ten iterations the angles change by less than a tenth of a degree.
  private static let iterations = 10

  /// Returns the pose; `nil` when the points are not a face's. Its roll is that of the line through the eyes:
  /// a tilt moves the points that show it, and yaw and pitch hardly do, so nothing has to be told apart.
  package static func fit(_ landmarks: Landmarks) -> Pose? {
    guard let rotation = rotation(landmarks), let points = FivePoints(landmarks), var pose = Pose(rotation)
    else { return nil }
    pose.roll = MeshCrop.angle(from: points.rightEye, to: points.leftEye)
    return pose
  }

  /// Returns the pose as a rotation; `nil` when the points are not a face's.
  static func rotation(_ landmarks: Landmarks) -> Rotation? {
    guard landmarks.points.count == Landmarks.count else { return nil }
    let model = centred(CanonicalFace.points.map(\.position))
    var seen = centred(
      CanonicalFace.points.map {
        let point = landmarks.points[$0.index]
        return SIMD3(point.x, point.y, point.z)
      })
    return fit(model, to: &seen)
  }

  /// Returns the rotation from `model` to the points seen, and replaces their depth.
  private static func fit(_ model: [SIMD3<Float>], to seen: inout [SIMD3<Float>]) -> Rotation? {
    var rotation = Rotation(from: model, to: seen)
    for iteration in 0..<iterations {
      if iteration > 0 { rotation = Rotation(from: model, to: seen) }
      let turned = model.map { rotation($0) }
      var together: Float = 0
      var length: Float = 0
      for (a, b) in zip(turned, seen) {
        together += a.x * b.x + a.y * b.y
        length += a.x * a.x + a.y * a.y
      }
      let scale = together / length
      guard scale > 0, scale.isFinite else { return nil }
      for index in seen.indices { seen[index].z = turned[index].z * scale }
    }
    return rotation
  }

  private static func centred(_ points: [SIMD3<Float>]) -> [SIMD3<Float>] {
    let mean = points.reduce(.zero, +) / Float(points.count)
    return points.map { $0 - mean }
  }
}

extension Pose {
  /// The angles of a rotation in axes with x right, y down and z away; without rotation the head faces
  /// against z.
  ///
  /// First pitch, then yaw, then roll: R = Rz(roll) Ry(−yaw) Rx(−pitch), so that turning the picture changes
  /// the roll alone. `nil` when it is not a rotation.
  package init?(_ rotation: Rotation) {
    let degrees: Float = 180 / .pi
    let rows = rotation.rows
    guard rows.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }) else { return nil }
    self.init(
      yaw: asinf(min(max(rows[2].x, -1), 1)) * degrees,
      pitch: -atan2f(rows[2].y, rows[2].z) * degrees,
      roll: atan2f(rows[1].x, rows[0].x) * degrees)
  }
}
