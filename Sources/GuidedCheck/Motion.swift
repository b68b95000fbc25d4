import FaceCore

/// How fast a face moves, in its own long sides a second.
struct Motion {
  /// Nanoseconds over which it is smoothed: a detector's boxes tremble.
  private static let smoothing: Float = 150_000_000
  private var last: (middle: Point, time: Int64)?
  private(set) var speed: Float?

  mutating func step(_ box: Box, at now: Int64) {
    defer { last = (box.middle, now) }
    guard let last, now > last.time, box.longSide > 0 else { return }
    let (x, y) = (box.middle.x - last.middle.x, box.middle.y - last.middle.y)
    let passed = Float(now - last.time)
    let latest = (x * x + y * y).squareRoot() / box.longSide / (passed / 1_000_000_000)
    let weight = passed / (passed + Motion.smoothing)
    speed = speed.map { $0 + (latest - $0) * weight } ?? latest
  }
}
