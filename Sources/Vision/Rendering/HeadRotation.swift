import FaceCore

import func Glibc.cosf
import func Glibc.sinf

/// The rotation of a head, as the picture shows it: x to the picture's right, y down, z away from the camera.
/// Without rotation the head faces against z.
struct HeadRotation {
  /// The rows; times a column vector they give the rotated vector.
  let rows: [SIMD3<Float>]

  init(rows: [SIMD3<Float>]) { self.rows = rows }

  /// R = Ry(−yaw) · Rx(−pitch) · Rz(roll), see docs/coordinates.md.
  init(_ pose: Pose) {
    func angle(_ degrees: Float) -> (cos: Float, sin: Float) {
      (cosf(degrees * .pi / 180), sinf(degrees * .pi / 180))
    }
    let (y, x, z) = (angle(-pose.yaw), angle(-pose.pitch), angle(pose.roll))
    let tilted = [
      SIMD3(z.cos, -z.sin, 0), SIMD3(x.cos * z.sin, x.cos * z.cos, -x.sin),
      SIMD3(x.sin * z.sin, x.sin * z.cos, x.cos),
    ]
    rows = [y.cos * tilted[0] + y.sin * tilted[2], tilted[1], y.cos * tilted[2] - y.sin * tilted[0]]
  }

  func callAsFunction(_ point: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3((rows[0] * point).sum(), (rows[1] * point).sum(), (rows[2] * point).sum())
  }
}
