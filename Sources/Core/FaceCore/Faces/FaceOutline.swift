/// The visible outline of a face, from beside the right eye over the chin to beside the left eye.
///
/// The mesh has its contour on the head, where a turned head hides one side. WFLW's labels follow what is seen: 33
/// points, evenly spaced along either half. So the outline is the convex hull of the points seen from the camera,
/// without those of the nose. A line from the bridge of the nose to the chin divides the hull, and its halves begin at
/// the height of the temples, at right angles to that line.
struct FaceOutline {
  static let half = 17

  /// The points in WFLW's order; `nil` if the hull does not surround the line, as for points that mean nothing.
  let points: [Point3D]

  init?(of mesh: [Point3D]) {
    let (bridge, chin) = (mesh[FaceOutline.bridge], mesh[FaceOutline.chin])
    let right = mesh[FaceOutline.temples.right.nearest]
    let length = bridge.point.distance(to: chin.point)
    guard length > 0, length.isFinite else { return nil }
    let down = SIMD2((chin.x - bridge.x) / length, (chin.y - bridge.y) / length)
    // Towards the subject's right.
    var across = SIMD2(-down.y, down.x)
    let left = mesh[FaceOutline.temples.left.nearest]
    if (across * SIMD2(right.x - left.x, right.y - left.y)).sum() < 0 { across = -across }
    func seen(_ point: Point3D) -> SIMD3<Float> {
      let moved = SIMD2(point.x - bridge.x, point.y - bridge.y)
      return SIMD3((moved * across).sum(), (moved * down).sum(), point.z)
    }
    let hull = FaceOutline.hull(of: FaceOutline.outermost.map { seen(mesh[$0]) })
    func side(_ temple: LandmarkPlace, _ sign: Float) -> [SIMD3<Float>]? {
      FaceOutline.quarter(of: hull, from: seen(temple.point(of: mesh)).y, side: sign)
    }
    guard let rightHalf = side(FaceOutline.temples.right, 1),
      let leftHalf = side(FaceOutline.temples.left, -1)
    else { return nil }
    points = (rightHalf + leftHalf.reversed().dropFirst()).map { point in
      let moved = point.x * across + point.y * down
      return Point3D(x: bridge.x + moved.x, y: bridge.y + moved.y, z: point.z)
    }
  }

  private static let bridge = 168
  private static let chin = 199
  /// Fitted to WFLW's labels.
  private static let temples = (right: LandmarkPlace(127, 162, 0.2), left: LandmarkPlace(356, 389, 0.2))

  /// The points that can be outermost: of the brow's and the jaw's edges, the cheeks, and the line between the halves.
  private static let outermost =
    [9, 10, 168, 152, 199]
    // The right edge from the forehead to the chin, the points within it, and the cheek.
    + [109, 67, 103, 54, 21, 162, 127, 234, 93, 132, 58, 172, 136, 150, 149, 176, 148]
    + [34, 227, 137, 177, 215, 138, 135, 169, 140, 171]
    + [116, 123, 147, 213, 192, 214, 187, 207, 50]
    // The same at the left.
    + [338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377]
    + [264, 447, 366, 401, 435, 367, 364, 394, 369, 396]
    + [345, 352, 376, 433, 416, 434, 411, 427, 280]

  /// Returns the corners of the convex hull in the plane, in order. (Andrew's monotone chain, 1979.)
  private static func hull(of points: [SIMD3<Float>]) -> [SIMD3<Float>] {
    let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    func chain(_ points: some Sequence<SIMD3<Float>>) -> [SIMD3<Float>] {
      var corners: [SIMD3<Float>] = []
      for point in points {
        while corners.count > 1 {
          let (along, other) = (
            corners[corners.count - 1] - corners[corners.count - 2], point - corners[corners.count - 2]
          )
          guard along.x * other.y - along.y * other.x <= 0 else { break }
          corners.removeLast()
        }
        corners.append(point)
      }
      return Array(corners.dropLast())
    }
    return chain(sorted) + chain(sorted.reversed())
  }

  /// Returns the points of one half, from the temple to the chin.
  /// - Parameters:
  ///   - top: the height at which it begins, downwards.
  ///   - side: 1 at the subject's right, -1 at the left.
  private static func quarter(of hull: [SIMD3<Float>], from top: Float, side: Float) -> [SIMD3<Float>]? {
    let corners = hull.map { SIMD3($0.x * side, $0.y - top, $0.z) }
    var (temple, chin): (SIMD3<Float>?, SIMD3<Float>?)
    for (place, one) in corners.enumerated() {
      let other = corners[(place + 1) % corners.count]
      if (one.y > 0) != (other.y > 0) {
        let point = one + (other - one) * (one.y / (one.y - other.y))
        if point.x > 0 { temple = point }
      }
      if (one.x > 0) != (other.x > 0) {
        let point = one + (other - one) * (one.x / (one.x - other.x))
        if point.y > 0 { chin = point }
      }
    }
    guard let temple, let chin else { return nil }
    // Seen from where the temple's height meets the line, the hull's corners are in the order of their angles.
    let within = corners.filter { $0.x > 0 && $0.y > 0 }.sorted { $0.x * $1.y > $1.x * $0.y }
    return evenly([temple] + within + [chin]).map { SIMD3($0.x * side, $0.y + top, $0.z) }
  }

  /// Returns `half` points at equal distances along a line.
  private static func evenly(_ line: [SIMD3<Float>]) -> [SIMD3<Float>] {
    var ends: [Float] = [0]
    for (one, other) in zip(line, line.dropFirst()) {
      let step = other - one
      ends.append(ends[ends.count - 1] + (step.x * step.x + step.y * step.y).squareRoot())
    }
    var place = 1
    return (0..<half).map { number in
      let wanted = ends[ends.count - 1] * Float(number) / Float(half - 1)
      while place < line.count - 1, ends[place] < wanted { place += 1 }
      let length = ends[place] - ends[place - 1]
      let share = length > 0 ? min((wanted - ends[place - 1]) / length, 1) : 0
      return line[place - 1] + (line[place] - line[place - 1]) * share
    }
  }
}
