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

  /// Returns the pose; `nil` when the points are not a face's.
  package static func fit(_ landmarks: Landmarks) -> Pose? {
    rotation(landmarks).flatMap { Pose($0) }
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
  /// First roll, then pitch, then yaw: R = Ry(−yaw) Rx(−pitch) Rz(roll). `nil` when it is not a rotation.
  package init?(_ rotation: Rotation) {
    let degrees: Float = 180 / .pi
    let rows = rotation.rows
    guard rows.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }) else { return nil }
    self.init(
      yaw: -atan2f(rows[0].z, rows[2].z) * degrees,
      pitch: asinf(min(max(rows[1].z, -1), 1)) * degrees,
      roll: atan2f(rows[1].x, rows[1].y) * degrees)
  }
}
