import FaceCore

/// A tracked face: its id, its movement, and its appearance when it was last found.
struct Tracklet {
  /// The number among all tracklets that were made, including those without an id.
  let number: UInt64
  /// The id; `nil` while the face is not confirmed.
  private(set) var id: UInt64?
  /// Whether the id was reported with a frame before this one.
  private(set) var isIDTold = false
  /// Whether a caller passed this face.
  private(set) var isFollowed = false
  private(set) var frameCount: UInt32 = 1
  /// The number of those in which it was found with the minimum confidence.
  private(set) var hits = 1
  /// The number of frames since it was last found.
  private(set) var missedFrames = 0
  private(set) var motion: MotionFilter
  /// The last observation with an appearance, or else the last.
  private var last: Observation
  /// When it was first and last found.
  let firstSeen: Int64
  private(set) var lastSeen: Int64
  /// What is kept to recognise it when it returns; empty unless that is requested.
  var gallery = FaceGallery()

  /// - Parameter observation: one with at least the minimum confidence.
  init(number: UInt64, _ observation: Observation, at time: Int64) {
    self.number = number
    (firstSeen, lastSeen) = (time, time)
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

  mutating func takeIdentity(of absent: AbsentFace) {
    id = absent.id
    let (sum, overflow) = frameCount.addingReportingOverflow(absent.frameCount)
    frameCount = overflow ? .max : sum
    gallery.add(absent.gallery)
  }

  mutating func removeID() {
    id = nil
  }

  /// Follows the face under an id that a caller was given.
  mutating func follow(_ id: UInt64) {
    (self.id, isFollowed) = (id, true)
  }

  var track: Track? { id.map { Track(id: $0, frameCount: frameCount) } }

  mutating func update(with observation: Observation, isConfident: Bool, at time: Int64) {
    lastSeen = time
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

  /// Returns the cost of matching `observation` to this face, 0 if exactly as expected; `nil` if it cannot be
  /// this face.
  ///
  /// The cost is the sum of the differences in position, size and appearance. Each of them may be small even
  /// if another person has taken the place.
  /// - Parameters:
  ///   - limit: the largest sum.
  ///   - appearance: returns the appearance of a box of this frame.
  func difference<Failure>(
    from observation: Observation, limit: Float,
    _ appearance: (NormalisedBox) throws(Failure) -> FaceAppearance?
  ) throws(Failure) -> Float? {
    let (box, expected) = (observation.box, motion.box)
    let ratio = box.side > expected.side ? box.side / expected.side : expected.side / box.side
    guard ratio <= Tracklet.maxSizeRatio else { return nil }
    // Relative to the smaller side, else a large face would reach every small one beside it.
    let side = min(box.side, expected.side)
    let x = (box.x - expected.x) / side
    let y = (box.y - expected.y) / side
    let distance = (x * x + y * y).squareRoot() + (ratio - 1)
    guard distance <= limit else { return nil }
    guard let known = last.appearance, let seen = observation.appearance else { return distance }
    var unlikeness = seen.difference(from: known)
    // Boxes of one face differ in size from frame to frame, and so does their content.
    if unlikeness > maxUnlikeness, !box.isAboutAsLarge(as: last.box),
      let resized = try appearance(box.resized(to: last.box))
    {
      unlikeness = min(unlikeness, resized.difference(from: known))
    }
    let difference = distance + unlikeness * Tracklet.appearanceWeight
    return unlikeness <= maxUnlikeness && difference <= limit ? difference : nil
  }

  /// The largest difference between appearances of one person; it grows the longer the face was missed.
  private var maxUnlikeness: Float { min(1.15 + 0.04 * Float(missedFrames), 1.6) }
  private static let appearanceWeight: Float = 0.3
  /// A face that is twice as large in the next frame is another one, nearer to the camera.
  private static let maxSizeRatio: Float = 1.8
}

/// The properties of a face in one frame that tell faces apart.
struct Observation {
  var box: NormalisedBox
  /// `nil` where it is not known.
  var appearance: FaceAppearance?
}

/// Estimates a face's box and velocity: an α-β filter for its middle and its sides, which is a Kalman filter
/// of constant velocity in its steady state.
/// Source: Kalata, "The Tracking Index: A Generalized Parameter for α-β and α-β-γ Target Trackers", 1984.
struct MotionFilter {
  /// The parts of the residual that go into position and velocity. Detected boxes are exact to a few
  /// hundredths of their side, so positions are mostly trusted.
  private static let alpha: Float = 0.8
  private static let beta: Float = 0.3
  /// Changes of a box's size are mostly noise.
  private static let sizeAlpha: Float = 0.5
  /// The part of the velocity that is left after a frame without the face: a prediction gets worse with time.
  private static let decay: Float = 0.95

  /// The box as last corrected or predicted.
  private(set) var box: NormalisedBox
  /// Velocity per frame.
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

  /// Corrects the state for a face found at `found` and expected at `box`.
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

  /// Reduces the velocity after the face was not found where expected.
  mutating func dampVelocity() {
    velocityX *= MotionFilter.decay
    velocityY *= MotionFilter.decay
  }

  /// Forgets the movement, as after a change of the picture size.
  mutating func resetVelocity() {
    velocityX = 0
    velocityY = 0
  }
}
