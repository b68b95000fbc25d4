/// A turn of space; `rows` times a column is the turned column.
package struct Rotation: Equatable {
  package var rows: [SIMD3<Float>]

  package func callAsFunction(_ vector: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3((rows[0] * vector).sum(), (rows[1] * vector).sum(), (rows[2] * vector).sum())
  }

  /// The turn that a unit quaternion stands for. Source: Horn 1987, section 3.
  package init(quaternion q: SIMD4<Float>) {
    let (w, x, y, z) = (q[0], q[1], q[2], q[3])
    rows = [
      SIMD3(w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
      SIMD3(2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
      SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    ]
  }

  /// The turn that brings `source` closest to `target`, by least squares; both are centred on 0 and of one length.
  ///
  /// Source: B. K. P. Horn, "Closed-form solution of absolute orientation using unit quaternions", J. Opt. Soc. Am. A 4,
  /// 1987, section 4: the eigenvector of the largest eigenvalue of a symmetric matrix made of sums of products.
  package init(from source: [SIMD3<Float>], to target: [SIMD3<Float>]) {
    var x = SIMD3<Float>.zero
    var y = SIMD3<Float>.zero
    var z = SIMD3<Float>.zero  // the sums' rows, by the source's coordinate
    for (a, b) in zip(source, target) {
      x += a.x * b
      y += a.y * b
      z += a.z * b
    }
    let matrix: [[Float]] = [
      [x.x + y.y + z.z, y.z - z.y, z.x - x.z, x.y - y.x],
      [y.z - z.y, x.x - y.y - z.z, x.y + y.x, z.x + x.z],
      [z.x - x.z, x.y + y.x, -x.x + y.y - z.z, y.z + z.y],
      [x.y - y.x, z.x + x.z, y.z + z.y, -x.x - y.y + z.z],
    ]
    self.init(quaternion: SymmetricMatrix.largestEigenvector(of: matrix))
  }
}
