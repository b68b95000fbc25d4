import FaceCore

/// A face that is followed: who it is, and what is expected of it.
struct KnownFace {
  let id: UInt64
  /// Frames in which it was found.
  private(set) var frameCount: UInt32 = 1
  /// Frames since it was last found.
  private(set) var missedFrames = 0
  private(set) var motion: Motion
  /// As it was last found with an appearance, or else at all.
  private var last: Sighting

  init(id: UInt64, _ sighting: Sighting) {
    self.id = id
    motion = Motion(at: sighting.place)
    last = sighting
  }

  /// To the next frame, in which it is not found yet.
  mutating func advance() {
    motion.advance()
  }

  mutating func stop() {
    motion.stop()
  }

  mutating func find(_ sighting: Sighting) {
    motion.correct(sighting.place)
    if sighting.appearance != nil { last = sighting }
    missedFrames = 0
    frameCount = frameCount == .max ? .max : frameCount + 1
  }

  mutating func miss() {
    motion.slowDown()
    missedFrames += 1
  }

  /// How unlike this face `sighting` is, 0 for one that is exactly as expected; `nil` for one that it cannot be.
  ///
  /// The sum of how far it is from where it should be, how different its size is and how different it looks. None of them
  /// alone need be large where another person has taken the place.
  /// - Parameters:
  ///   - limit: of the sum.
  ///   - look: how what is in a place looks, now.
  func difference<Failure>(
    _ sighting: Sighting, limit: Float, _ look: (Place) throws(Failure) -> FaceAppearance?
  ) throws(Failure) -> Float? {
    let (place, expected) = (sighting.place, motion.place)
    let ratio = place.side > expected.side ? place.side / expected.side : expected.side / place.side
    guard ratio <= KnownFace.maxSizeRatio else { return nil }
    // In the smaller side, else a large face would reach every small one beside it.
    let side = min(place.side, expected.side)
    let x = (place.x - expected.x) / side
    let y = (place.y - expected.y) / side
    let distance = (x * x + y * y).squareRoot() + (ratio - 1)
    guard distance <= limit else { return nil }
    guard let known = last.appearance, let seen = sighting.appearance else { return distance }
    var looks = seen.difference(from: known)
    // Boxes of one face differ in size from frame to frame, and so does what is in them.
    if looks > maxLooks, !place.isAboutAsLarge(as: last.place),
      let again = try look(place.resized(to: last.place))
    {
      looks = min(looks, again.difference(from: known))
    }
    let difference = distance + looks * KnownFace.looksWeight
    return looks <= maxLooks && difference <= limit ? difference : nil
  }

  /// How different one person may look: more, the longer they were not seen.
  private var maxLooks: Float { min(1.15 + 0.04 * Float(missedFrames), 1.6) }
  private static let looksWeight: Float = 0.3
  /// Twice the size between two frames is another face, nearer to the camera.
  private static let maxSizeRatio: Float = 1.8
}

/// A face in one frame, as far as it says who it is.
struct Sighting {
  var place: Place
  /// `nil` where nothing is known of it.
  var appearance: FaceAppearance?
}

/// A face's place and how it moves: an α-β filter for each of its middle and its sides, a Kalman filter of constant
/// velocity in its steady state.
/// Source: Kalata, "The Tracking Index: A Generalized Parameter for α-β and α-β-γ Target Trackers", 1984.
struct Motion {
  /// Parts of a surprise that go into the place and into the velocity. Detected boxes are exact to a few hundredths of
  /// their side, so places are mostly believed.
  private static let alpha: Float = 0.8
  private static let beta: Float = 0.3
  /// A box that breathes is mostly noise.
  private static let sizeAlpha: Float = 0.5
  /// What is left of a velocity after a frame without the face: a guess gets worse with time.
  private static let decay: Float = 0.95

  /// As last known, or as expected for now after `advance`.
  private(set) var place: Place
  /// Per frame.
  private var velocityX: Float = 0
  private var velocityY: Float = 0

  init(at place: Place) {
    self.place = place
  }

  /// To the next frame.
  mutating func advance() {
    place.x += velocityX
    place.y += velocityY
  }

  /// The face was found at `found`, having been expected at `place`.
  mutating func correct(_ found: Place) {
    let surpriseX = found.x - place.x
    let surpriseY = found.y - place.y
    place.x += Motion.alpha * surpriseX
    place.y += Motion.alpha * surpriseY
    velocityX += Motion.beta * surpriseX
    velocityY += Motion.beta * surpriseY
    place.width += Motion.sizeAlpha * (found.width - place.width)
    place.height += Motion.sizeAlpha * (found.height - place.height)
  }

  /// The face was not found where it was expected.
  mutating func slowDown() {
    velocityX *= Motion.decay
    velocityY *= Motion.decay
  }

  /// What was known of the movement holds no more.
  mutating func stop() {
    velocityX = 0
    velocityY = 0
  }
}
