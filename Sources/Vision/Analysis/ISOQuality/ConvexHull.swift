import FaceCore

/// The smallest convex polygon around points.
struct ConvexHull {
  /// The corners in order, y down: first along the left, then along the right.
  private let corners: [Point]

  /// Computes the hull. Source: A. M. Andrew, "Another efficient algorithm for convex hulls in two
  /// dimensions", 1979.
  init(_ points: some Sequence<Point>) {
    let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    let (lower, upper) = (ConvexHull.chain(sorted), ConvexHull.chain(sorted.reversed()))
    corners = lower.dropLast() + upper.dropLast()
  }

  /// Returns where a horizontal line crosses the hull; `nil` where it does not.
  func span(y: Float) -> ClosedRange<Float>? {
    var (first, last) = (Float.infinity, -Float.infinity)
    for (index, from) in corners.enumerated() {
      let to = corners[(index + 1) % corners.count]
      guard min(from.y, to.y) <= y, y < max(from.y, to.y) else { continue }
      let x = from.x + (to.x - from.x) * (y - from.y) / (to.y - from.y)
      (first, last) = (min(first, x), max(last, x))
    }
    return first <= last ? first...last : nil
  }

  private static func chain(_ points: [Point]) -> [Point] {
    var chain: [Point] = []
    for point in points {
      while chain.count >= 2, turnsIn(chain[chain.count - 2], chain[chain.count - 1], point) {
        chain.removeLast()
      }
      chain.append(point)
    }
    return chain
  }

  private static func turnsIn(_ a: Point, _ b: Point, _ c: Point) -> Bool {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) <= 0
  }
}
