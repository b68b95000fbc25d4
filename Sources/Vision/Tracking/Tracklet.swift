import FaceCore

/// A tracked face: its id, its movement, and its appearance when it was last found.
struct Tracklet {
  /// Of all that were made, those without an id included.
  let number: UInt64
  /// `nil` while too little speaks for a face.
  private(set) var id: UInt64?
  /// Whether a frame before this one told the id.
  private(set) var isIDTold = false
  /// Whether a caller handed it in.
  private(set) var isFollowed = false
  /// Frames in which it was found.
  private(set) var frameCount: UInt32 = 1
  /// Those of them in which it was found with the minimum confidence.
  private(set) var hits = 1
  /// Frames since it was last found.
  private(set) var missedFrames = 0
  private(set) var motion: MotionFilter
  /// The last one with an appearance, or else the last.
  private var last: Observation

  /// - Parameter observation: of at least the minimum confidence.
  init(number: UInt64, _ observation: Observation) {
    self.number = number
    motion = MotionFilter(at: observation.box)
    last = observation
  }

  /// Predicts the next frame.
  mutating func predict() {
    isIDTold = id != nil
    motion.predict()
  }

  mutating func resetVelocity() {
    motion.resetVelocity()
  }

  mutating func confirm(_ id: UInt64) {
    self.id = id
  }

  /// A caller handed it in with this id.
  mutating func follow(_ id: UInt64) {
    (self.id, isFollowed) = (id, true)
  }

  var track: Track? { id.map { Track(id: $0, frameCount: frameCount) } }

  mutating func update(with observation: Observation, isConfident: Bool) {
    if isConfident { hits += 1 }
    motion.correct(observation.box)
    if observation.appearance != nil { last = observation }
    missedFrames = 0
    frameCount = frameCount == .max ? .max : frameCount + 1
  }

  mutating func markMissed() {
    motion.dampVelocity()
    missedFrames += 1
  }

  /// The cost of matching `observation` to this face, 0 for one exactly as expected; `nil` where it cannot be this face.
  ///
  /// The sum of the differences in position, size and appearance. None of them alone need be large where another person
  /// has taken the place.
  /// - Parameters:
  ///   - limit: of the sum.
  ///   - appearance: of what is in a box of this frame.
  func difference<Failure>(
    from observation: Observation, limit: Float,
    _ appearance: (NormalisedBox) throws(Failure) -> FaceAppearance?
  ) throws(Failure) -> Float? {
    let (box, expected) = (observation.box, motion.box)
    let ratio = box.side > expected.side ? box.side / expected.side : expected.side / box.side
    guard ratio <= Tracklet.maxSizeRatio else { return nil }
    // In the smaller side, else a large face would reach every small one beside it.
    let side = min(box.side, expected.side)
    let x = (box.x - expected.x) / side
    let y = (box.y - expected.y) / side
    let distance = (x * x + y * y).squareRoot() + (ratio - 1)
    guard distance <= limit else { return nil }
    guard let known = last.appearance, let seen = observation.appearance else { return distance }
    var unlikeness = seen.difference(from: known)
    // Boxes of one face differ in size from frame to frame, and so does what is in them.
    if unlikeness > maxUnlikeness, !box.isAboutAsLarge(as: last.box),
      let resized = try appearance(box.resized(to: last.box))
    {
      unlikeness = min(unlikeness, resized.difference(from: known))
    }
    let difference = distance + unlikeness * Tracklet.appearanceWeight
    return unlikeness <= maxUnlikeness && difference <= limit ? difference : nil
  }

  /// Between appearances of one person: more, the longer the face was missed.
  private var maxUnlikeness: Float { min(1.15 + 0.04 * Float(missedFrames), 1.6) }
  private static let appearanceWeight: Float = 0.3
  /// Twice the size between two frames is another face, nearer to the camera.
  private static let maxSizeRatio: Float = 1.8
}

/// A face in one frame, as far as it tells faces apart.
struct Observation {
  var box: NormalisedBox
  /// `nil` where it is not known.
  var appearance: FaceAppearance?
}

/// Estimates a face's box and velocity: an α-β filter for its middle and its sides, which is a Kalman filter of constant
/// velocity in its steady state.
/// Source: Kalata, "The Tracking Index: A Generalized Parameter for α-β and α-β-γ Target Trackers", 1984.
struct MotionFilter {
  /// Parts of the residual that go into the position and into the velocity. Detected boxes are exact to a few hundredths
  /// of their side, so positions are mostly believed.
  private static let alpha: Float = 0.8
  private static let beta: Float = 0.3
  /// Changes of a box's size are mostly noise.
  private static let sizeAlpha: Float = 0.5
  /// Part of the velocity that is left after a frame without the face: a prediction gets worse with time.
  private static let decay: Float = 0.95

  /// As last corrected, or as predicted.
  private(set) var box: NormalisedBox
  /// Per frame.
  private var velocityX: Float = 0
  private var velocityY: Float = 0

  init(at box: NormalisedBox) {
    self.box = box
  }

  /// Moves the box to where it is expected in the next frame.
  mutating func predict() {
    box.x += velocityX
    box.y += velocityY
  }

  /// The face was found at `found`, having been expected at `box`.
  mutating func correct(_ found: NormalisedBox) {
    let residualX = found.x - box.x
    let residualY = found.y - box.y
    box.x += MotionFilter.alpha * residualX
    box.y += MotionFilter.alpha * residualY
    velocityX += MotionFilter.beta * residualX
    velocityY += MotionFilter.beta * residualY
    box.width += MotionFilter.sizeAlpha * (found.width - box.width)
    box.height += MotionFilter.sizeAlpha * (found.height - box.height)
  }

  /// The face was not found where it was expected.
  mutating func dampVelocity() {
    velocityX *= MotionFilter.decay
    velocityY *= MotionFilter.decay
  }

  /// Forgets the movement, as after a change of the picture's form.
  mutating func resetVelocity() {
    velocityX = 0
    velocityY = 0
  }
}
