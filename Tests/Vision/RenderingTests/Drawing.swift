import FaceCore
import Rendering
import TestSupport

/// What is drawn on an even ground.
enum Drawing {
  static let ground = RGB(100, 100, 100)

  static func of(
    _ width: Int = 200, _ height: Int = 160, _ draw: (borrowing Canvas) throws(Status) -> Void
  ) throws(Status) -> Picture {
    let canvas = try Canvas(try Picture(width, height) { _, _ in ground }.bitmap())
    try draw(canvas)
    return try canvas.withBitmap { (bitmap) throws(Status) in Picture(bitmap) }
  }
}

extension Picture {
  /// The number of pixels of a part that differ from the ground; of all by default.
  func marked(_ xs: Range<Int>? = nil, _ ys: Range<Int>? = nil) -> Int {
    (ys ?? 0..<size.height).reduce(0) { sum, y in
      sum + (xs ?? 0..<size.width).count { self[$0, y] != Drawing.ground }
    }
  }
}
