import FaceCore

/// The conditions for an acceptable picture, each with its hysteresis.
struct Conditions {
  /// The conditions that are tested, each case including those before it.
  enum Scope: Int {
    case position
    /// Also the light, to the degree that an action needs.
    case light
    /// All conditions that a photo can show.
    case photo
    /// Also that the face is not moving.
    case rest
  }

  /// The person's face in one frame, with its measurements.
  struct Observation {
    var face: Face
    var target: TargetCircle
    var isAlone: Bool
    /// 0…1; `nil` where it was not measured.
    var brightness: Float?
    /// Long sides a second; `nil` while it is not known yet.
    var speed: Float?
  }

  private let options: CheckOptions
  private var offset = HysteresisLimit()
  private var (least, most) = (HysteresisLimit(), HysteresisLimit())
  private var (dark, bright) = (HysteresisLimit(), HysteresisLimit())
  private var (yaw, pitch, roll) = (HysteresisLimit(), HysteresisLimit(), HysteresisLimit())
  private var eyes = HysteresisLimit()
  private var sharpness = HysteresisLimit()
  private var speed = HysteresisLimit()
  private var iso = ISOConditions()

  init(_ options: CheckOptions) {
    self.options = options
  }

  /// Returns a tip for each condition that is not met, the most important first; none for an acceptable face.
  /// A condition whose measurement is missing is not met.
  mutating func tips(for observation: Observation, _ scope: Scope) -> [Tip] {
    var tips: [Tip] = []
    if !observation.isAlone { tips.append(.severalFaces) }
    addPositionTips(observation, &tips)
    if scope.rawValue >= Scope.light.rawValue { addLightTips(observation, &tips) }
    if scope.rawValue >= Scope.photo.rawValue { addPhotoTips(observation, &tips) }
    if scope == .rest { addSpeedTips(observation, &tips) }
    return tips
  }

  private mutating func addPositionTips(_ observation: Observation, _ tips: inout [Tip]) {
    let (box, target, band) = (observation.face.box, observation.target, options.hysteresis)
    if options.maxOffset < 1,
      !offset.keeps(target.offset(box), atMost: options.maxOffset, downTo: 0, band)
    {
      tips.append(target.tip(towards: box))
    }
    let size = target.size(box)
    if options.minFace > 0,
      !least.keeps(size, atLeast: options.minFace, upTo: options.maxFace, band)
    {
      tips.append(.comeCloser)
    }
    if options.maxFace < 2, !most.keeps(size, atMost: options.maxFace, downTo: options.minFace, band) {
      tips.append(.moveBack)
    }
  }

  private mutating func addLightTips(_ observation: Observation, _ tips: inout [Tip]) {
    let (least, most, band) = (options.minBrightness, options.maxBrightness, options.hysteresis)
    let brightness = observation.brightness ?? .nan
    if least > 0, !dark.keeps(brightness, atLeast: least, upTo: most, band) { tips.append(.tooDark) }
    if most < 1, observation.brightness != nil || least == 0,
      !bright.keeps(brightness, atMost: most, downTo: least, band)
    {
      tips.append(.tooBright)
    }
  }

  private mutating func addPhotoTips(_ observation: Observation, _ tips: inout [Tip]) {
    let (face, band) = (observation.face, options.hysteresis)
    if options.asksForPose {
      if let pose = face.pose {
        if !keeps(&yaw, pose.yaw, options.maxYaw) { tips.append(pose.yaw > 0 ? .lookRight : .lookLeft) }
        if !keeps(&pitch, pose.pitch, options.maxPitch) { tips.append(pose.pitch > 0 ? .lookDown : .lookUp) }
        if !keeps(&roll, pose.roll, options.maxRoll) { tips.append(pose.roll > 0 ? .tiltRight : .tiltLeft) }
      } else {
        // The detector finds a face but the mesh network does not: it looks elsewhere, or is covered.
        tips.append(.lookStraight)
      }
    }
    if options.minEyesOpen > 0 {
      let open = face.eyes.map { min($0.leftOpen, $0.rightOpen) } ?? .nan
      if !eyes.keeps(open, atLeast: options.minEyesOpen, upTo: 1, band) { tips.append(.openEyes) }
    }
    if options.minSharpness > 0 {
      let sharp = face.quality?.sharpness ?? .nan
      if !sharpness.keeps(sharp, atLeast: options.minSharpness, upTo: 1, band) { tips.append(.blurred) }
    }
    if options.asksForISO {
      let wrong = face.isoQuality.map { iso.tips(for: $0, options.minISO, observation.target, band) }
      tips += (wrong ?? [.lookStraight]).filter { !tips.contains($0) }
    }
  }

  private mutating func addSpeedTips(_ observation: Observation, _ tips: inout [Tip]) {
    guard options.maxMotion < 10 else { return }
    if !speed.keeps(observation.speed ?? .nan, atMost: options.maxMotion, downTo: 0, options.hysteresis) {
      tips.append(.holdStill)
    }
  }

  private func keeps(_ limit: inout HysteresisLimit, _ angle: Float, _ most: Float) -> Bool {
    most >= 90 || limit.keeps(abs(angle), atMost: most, downTo: 0, options.hysteresis)
  }
}

extension CheckOptions {
  var asksForPose: Bool { min(maxYaw, maxPitch, maxRoll) < 90 }
}

/// A limit with hysteresis: once exceeded, it is met again only by a value some way inside.
struct HysteresisLimit {
  private var isExceeded = false

  /// Returns whether `value` meets a lower limit.
  /// - Parameters:
  ///   - limit: the least value.
  ///   - end: the other end of the allowed range: the band of the hysteresis reaches at most halfway to it.
  mutating func keeps(_ value: Float, atLeast limit: Float, upTo end: Float, _ hysteresis: Float) -> Bool {
    keeps(value - limit, band: hysteresis * min(abs(limit), abs(end - limit)))
  }

  /// Returns whether `value` meets an upper limit.
  /// - Parameters:
  ///   - limit: the greatest value.
  ///   - end: as above.
  mutating func keeps(_ value: Float, atMost limit: Float, downTo end: Float, _ hysteresis: Float) -> Bool {
    keeps(limit - value, band: hysteresis * min(abs(limit), abs(limit - end)))
  }

  /// Returns whether the limit is met. NaN does not meet it.
  private mutating func keeps(_ margin: Float, band: Float) -> Bool {
    isExceeded = !(margin >= (isExceeded ? band : 0))
    return !isExceeded
  }
}

/// Measures how fast a face moves, in its own long sides a second.
struct SpeedMeter {
  /// The time over which the speed is smoothed, because a detector's boxes jitter.
  private static let smoothing: TimeSpan = .milliseconds(150)
  private var last: (middle: Point, time: TimeSpan)?
  private(set) var speed: Float?

  mutating func add(_ box: Box, at now: TimeSpan) {
    defer { last = (box.middle, now) }
    guard let last, now > last.time, box.longSide > 0 else { return }
    let (x, y) = (box.middle.x - last.middle.x, box.middle.y - last.middle.y)
    let passed = Float((now - last.time).seconds)
    let latest = (x * x + y * y).squareRoot() / box.longSide / passed
    let weight = passed / (passed + Float(SpeedMeter.smoothing.seconds))
    speed = speed.map { $0 + (latest - $0) * weight } ?? latest
  }
}
