import FaceCore

/// Where the five points lie in their box: it changes slowly as a head turns, and at once where another person stands.
struct FaceShape {
  /// Right eye, left eye, nose tip, mouth corners; x and y in widths and heights of the box.
  private var values: [Float]

  init(_ points: FivePoints, in box: Box) {
    let width = max(box.width, .leastNormalMagnitude)
    let height = max(box.height, .leastNormalMagnitude)
    values = [points.rightEye, points.leftEye, points.noseTip, points.mouthRight, points.mouthLeft]
      .flatMap { [($0.x - box.x) / width, ($0.y - box.y) / height] }
  }

  /// The mean distance of a point, in sides of the box.
  func distance(to other: FaceShape) -> Float {
    var sum: Float = 0
    for index in stride(from: 0, to: values.count, by: 2) {
      let x = values[index] - other.values[index]
      let y = values[index + 1] - other.values[index + 1]
      sum += (x * x + y * y).squareRoot()
    }
    return sum / 5
  }

  /// Moves most of the way to what was seen now: part of it is noise.
  mutating func follow(_ other: FaceShape) {
    for index in values.indices { values[index] += 0.6 * (other.values[index] - values[index]) }
  }
}
