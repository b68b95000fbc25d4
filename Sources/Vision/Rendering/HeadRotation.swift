import FaceCore

import func Glibc.cosf
import func Glibc.sinf

/// The rotation of a head, as the picture shows it: x to the picture's right, y down, z away from the camera.
/// Without rotation the head faces against z.
struct HeadRotation {
  /// The rows; times a column vector they give the rotated vector.
  let rows: [SIMD3<Float>]

  init(rows: [SIMD3<Float>]) { self.rows = rows }

  /// R = Rz(roll) · Ry(−yaw) · Rx(−pitch), see docs/coordinates.md.
  init(_ pose: Pose) {
    func angle(_ degrees: Float) -> (cos: Float, sin: Float) {
      (cosf(degrees * .pi / 180), sinf(degrees * .pi / 180))
    }
    let (y, x, z) = (angle(-pose.yaw), angle(-pose.pitch), angle(pose.roll))
    let turned = [
      SIMD3(y.cos, y.sin * x.sin, y.sin * x.cos), SIMD3(0, x.cos, -x.sin),
      SIMD3(-y.sin, y.cos * x.sin, y.cos * x.cos),
    ]
    rows = [z.cos * turned[0] - z.sin * turned[1], z.sin * turned[0] + z.cos * turned[1], turned[2]]
  }

  func callAsFunction(_ point: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3((rows[0] * point).sum(), (rows[1] * point).sum(), (rows[2] * point).sum())
  }
}
