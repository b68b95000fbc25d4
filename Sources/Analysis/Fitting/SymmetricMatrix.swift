/// Eigenvectors of small symmetric matrices.
package enum SymmetricMatrix {
  /// Jacobi's method: turns one plane after the other until nothing is left off the diagonal.
  /// Source: Golub, Van Loan, "Matrix Computations", section 8.5.
  /// - Parameter matrix: 4 × 4.
  /// - Returns: of length 1.
  package static func largestEigenvector(of matrix: [[Float]]) -> SIMD4<Float> {
    var a = matrix.map { $0.map(Double.init) }
    // Columns are what has become of the axes.
    var vectors = (0..<4).map { row in (0..<4).map { $0 == row ? 1.0 : 0.0 } }
    for _ in 0..<maxSweeps {
      let rest = (0..<4).reduce(0) { sum, row in (row + 1..<4).reduce(sum) { $0 + a[row][$1] * a[row][$1] } }
      let diagonal = (0..<4).reduce(0) { $0 + a[$1][$1] * a[$1][$1] }
      if !(rest > diagonal * 1e-24) { break }
      for p in 0..<3 {
        for q in p + 1..<4 where a[p][q] != 0 { turn(&a, &vectors, p, q) }
      }
    }
    let best = (0..<4).max { a[$0][$0] < a[$1][$1] } ?? 0
    return SIMD4((0..<4).map { Float(vectors[$0][best]) })
  }

  /// Each sweep at least squares what is off the diagonal; five are usual.
  private static let maxSweeps = 20

  /// Turns the plane of axes `p` and `q` so that `a[p][q]` becomes 0.
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
