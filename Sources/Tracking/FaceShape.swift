import FaceCore

/// Where the five points lie in their box: it changes slowly as a head turns, and at once where another person stands.
struct FaceShape {
  /// x and y in widths and heights of the box.
  private var points: FivePoints

  init(_ points: FivePoints, in box: Box) {
    let width = max(box.width, .leastNormalMagnitude)
    let height = max(box.height, .leastNormalMagnitude)
    self.points = points.map { Point(x: ($0.x - box.x) / width, y: ($0.y - box.y) / height) }
  }

  /// The mean distance of a point, in sides of the box.
  func distance(to other: FaceShape) -> Float {
    let (here, there) = (points, other.points)
    let eyes = here.rightEye.distance(to: there.rightEye) + here.leftEye.distance(to: there.leftEye)
    let mouth =
      here.mouthRight.distance(to: there.mouthRight) + here.mouthLeft.distance(to: there.mouthLeft)
    return (eyes + here.noseTip.distance(to: there.noseTip) + mouth) / 5
  }

  /// Moves most of the way to what was seen now: part of it is noise.
  mutating func follow(_ other: FaceShape) {
    points.rightEye.follow(other.points.rightEye)
    points.leftEye.follow(other.points.leftEye)
    points.noseTip.follow(other.points.noseTip)
    points.mouthRight.follow(other.points.mouthRight)
    points.mouthLeft.follow(other.points.mouthLeft)
  }
}

extension Point {
  fileprivate func distance(to other: Point) -> Float {
    let (x, y) = (x - other.x, y - other.y)
    return (x * x + y * y).squareRoot()
  }

  fileprivate mutating func follow(_ other: Point) {
    x += 0.6 * (other.x - x)
    y += 0.6 * (other.y - y)
  }
}
