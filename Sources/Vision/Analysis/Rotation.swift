/// A rotation in space; `rows` times a column vector is the rotated vector.
package struct Rotation: Equatable {
  package var rows: [SIMD3<Float>]

  package func callAsFunction(_ vector: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3((rows[0] * vector).sum(), (rows[1] * vector).sum(), (rows[2] * vector).sum())
  }

  /// The rotation of a unit quaternion. Source: Horn 1987, section 3.
  package init(quaternion q: SIMD4<Float>) {
    let (w, x, y, z) = (q[0], q[1], q[2], q[3])
    rows = [
      SIMD3(w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
      SIMD3(2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
      SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    ]
  }

  /// The rotation that brings `source` closest to `target`, by least squares; both are centred on 0 and have
  /// the same number of points.
  ///
  /// Source: B. K. P. Horn, "Closed-form solution of absolute orientation using unit quaternions", J. Opt.
  /// Soc. Am. A 4, 1987, section 4: the eigenvector of the largest eigenvalue of a symmetric matrix made of
  /// sums of products.
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

/// Eigenvectors of small symmetric matrices.
package enum SymmetricMatrix {
  /// Returns the eigenvector of the largest eigenvalue, of length 1, by Jacobi's method: rotates one plane
  /// after the other until nothing is left off the diagonal. Source: Golub, Van Loan, "Matrix Computations",
  /// section 8.5.
  /// - Parameter matrix: 4 × 4.
  package static func largestEigenvector(of matrix: [[Float]]) -> SIMD4<Float> {
    var a = matrix.map { $0.map(Double.init) }
    // The columns are the rotated axes.
    var vectors = (0..<4).map { row in (0..<4).map { $0 == row ? 1.0 : 0.0 } }
    for _ in 0..<maxSweeps {
      var (rest, diagonal) = (0.0, 0.0)
      for row in 0..<4 {
        diagonal += a[row][row] * a[row][row]
        for column in row + 1..<4 { rest += a[row][column] * a[row][column] }
      }
      if !(rest > diagonal * 1e-24) { break }
      for p in 0..<3 {
        for q in p + 1..<4 where a[p][q] != 0 { turn(&a, &vectors, p, q) }
      }
    }
    let best = (0..<4).max { a[$0][$0] < a[$1][$1] } ?? 0
    return SIMD4((0..<4).map { Float(vectors[$0][best]) })
  }

  /// Each sweep at least squares the elements off the diagonal; five are usual.
  private static let maxSweeps = 20

  /// Rotates the plane of axes `p` and `q` so that `a[p][q]` becomes 0.
  private static func turn(_ a: inout [[Double]], _ vectors: inout [[Double]], _ p: Int, _ q: Int) {
    let theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
    let tangent = (theta < 0 ? -1 : 1) / (abs(theta) + (theta * theta + 1).squareRoot())
    let cosine = 1 / (tangent * tangent + 1).squareRoot()
    let sine = tangent * cosine
    for k in 0..<4 {
      (a[k][p], a[k][q]) = (cosine * a[k][p] - sine * a[k][q], sine * a[k][p] + cosine * a[k][q])
    }
    for k in 0..<4 {
      (a[p][k], a[q][k]) = (cosine * a[p][k] - sine * a[q][k], sine * a[p][k] + cosine * a[q][k])
      (vectors[k][p], vectors[k][q]) = (
        cosine * vectors[k][p] - sine * vectors[k][q], sine * vectors[k][p] + cosine * vectors[k][q]
      )
    }
  }
}
