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
