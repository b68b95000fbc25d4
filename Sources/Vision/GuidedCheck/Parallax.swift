package import FaceCore

/// How far the points of a face moved against each other between two frames, in a way that the points of a flat
/// picture cannot.
///
/// All views of a plane are related by a homography. So the distance that the best homography leaves between
/// the points is depth: it grows with the depth of the face and the angle of its turn. Source: Hartley, Zisserman,
/// "Multiple View Geometry in Computer Vision", 2004, chapters 4 and 13.
package enum Parallax {
  /// Irises are left out, because the gaze moves them.
  private static let count = 468
  /// Chosen on measurements of both kinds: see docs/guided-check.md.
  private static let least: Float = 0.045

  /// Returns whether the points can only be those of a body.
  static func isSolid(from rest: [Point3D], to moved: [Point3D]) -> Bool {
    amount(from: rest, to: moved).map { $0 >= least } ?? false
  }

  /// Returns the root mean square of the distances that the best homography leaves, in parts of the points' own
  /// spread; `nil` when they are not a face's.
  package static func amount(from rest: [Point3D], to moved: [Point3D]) -> Float? {
    guard let from = normalised(rest), let to = normalised(moved) else { return nil }
    // u = (a x + b y + c) / (1 + g x + h y), and v in the same way, are linear in a…h once multiplied out.
    var equations = Array(repeating: [Double](repeating: 0, count: 9), count: 8)
    func add(_ row: [Double]) {
      for i in 0..<8 { for j in 0..<9 { equations[i][j] += row[i] * row[j] } }
    }
    for (p, q) in zip(from, to) {
      add([p.x, p.y, 1, 0, 0, 0, -p.x * q.x, -p.y * q.x, q.x])
      add([0, 0, 0, p.x, p.y, 1, -p.x * q.y, -p.y * q.y, q.y])
    }
    guard let h = solved(&equations) else { return nil }
    var sum = 0.0
    for (p, q) in zip(from, to) {
      let w = 1 + h[6] * p.x + h[7] * p.y
      let (x, y) = ((h[0] * p.x + h[1] * p.y + h[2]) / w - q.x, (h[3] * p.x + h[4] * p.y + h[5]) / w - q.y)
      sum += x * x + y * y
    }
    let amount = Float((sum / Double(count)).squareRoot())
    return amount.isFinite ? amount : nil
  }

  /// Returns the points about their mean, at a distance of 1 from it in the root mean square.
  private static func normalised(_ points: [Point3D]) -> [SIMD2<Double>]? {
    guard points.count >= count else { return nil }
    let places = points[..<count].map { SIMD2(Double($0.x), Double($0.y)) }
    let mean = places.reduce(.zero, +) / Double(count)
    let spread = (places.reduce(0) { $0 + (($1 - mean) * ($1 - mean)).sum() } / Double(count)).squareRoot()
    return spread > 0 && spread.isFinite ? places.map { ($0 - mean) / spread } : nil
  }

  /// Solves eight linear equations by elimination; `nil` when they have no single solution.
  private static func solved(_ rows: inout [[Double]]) -> [Double]? {
    for column in 0..<8 {
      guard let pivot = (column..<8).max(by: { abs(rows[$0][column]) < abs(rows[$1][column]) }),
        abs(rows[pivot][column]) > 1e-9
      else { return nil }
      rows.swapAt(column, pivot)
      for row in 0..<8 where row != column {
        let factor = rows[row][column] / rows[column][column]
        for other in column..<9 { rows[row][other] -= factor * rows[column][other] }
      }
    }
    return (0..<8).map { rows[$0][8] / rows[$0][$0] }
  }
}
