import FaceCore

/// A face that is followed: who it is, and what is expected of it.
struct KnownFace {
  let id: UInt64
  /// Frames in which it was found.
  private(set) var frameCount: UInt32 = 1
  /// Frames since it was last found.
  private(set) var missedFrames = 0
  private(set) var motion: Motion
  private var shape: FaceShape?

  init(id: UInt64, _ face: Face, at place: Place) {
    self.id = id
    motion = Motion(at: place)
    shape = face.points.map { FaceShape($0, in: face.box) }
  }

  /// To the next frame, in which it is not found yet.
  mutating func advance() {
    motion.advance()
  }

  mutating func stop() {
    motion.stop()
  }

  mutating func find(_ face: Face, at place: Place) {
    motion.correct(place)
    let seen = face.points.map { FaceShape($0, in: face.box) }
    if shape != nil, let seen {
      shape?.follow(seen)
    } else {
      shape = seen
    }
    missedFrames = 0
    frameCount = frameCount == .max ? .max : frameCount + 1
  }

  mutating func miss() {
    motion.slowDown()
    missedFrames += 1
  }

  /// How unlike this face `face` is, 0 for one that is exactly as expected; `nil` for one that it cannot be.
  ///
  /// The sum of how far it is from where it should be, how different its size is and how different its points lie. None
  /// of them alone need be large where another person has taken the place.
  func difference(_ face: Face, at place: Place) -> Float? {
    let expected = motion.place
    let ratio = place.side > expected.side ? place.side / expected.side : expected.side / place.side
    guard ratio <= KnownFace.maxSizeRatio else { return nil }
    // In the smaller side, else a large face would reach every small one beside it.
    let side = min(place.side, expected.side)
    let x = (place.x - expected.x) / side
    let y = (place.y - expected.y) / side
    let distance = (x * x + y * y).squareRoot()
    let shapes = shape.flatMap { known in face.points.map { FaceShape($0, in: face.box).distance(to: known) }
    }
    guard let shapes else { return distance + (ratio - 1) }
    guard shapes <= KnownFace.maxShapeDistance else { return nil }
    return distance + (ratio - 1) + shapes * KnownFace.shapeWeight
  }

  /// Twice the size between two frames is another face, nearer to the camera.
  private static let maxSizeRatio: Float = 1.8
  /// A head that turns as fast as it can moves its points by about a tenth of the box between two frames.
  private static let maxShapeDistance: Float = 0.3
  private static let shapeWeight: Float = 1.5
}
