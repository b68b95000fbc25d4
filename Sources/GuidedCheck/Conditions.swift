import FaceCore

/// What a face has to be like, each condition with its hysteresis.
struct Conditions {
  /// How much is asked of a face.
  enum Depth: Int {
    /// Where it is and how large.
    case place
    /// Also its light: enough to see what it does.
    case light
    /// Everything that a photo can show.
    case photo
    /// Also that it is at rest.
    case rest
  }

  /// What is known of the face that is meant.
  struct Sight {
    var face: Face
    var place: Place
    var isAlone: Bool
    /// 0…1; `nil` where it was not measured.
    var brightness: Float?
    /// Long sides a second; `nil` where it is not known yet.
    var motion: Float?
  }

  private let options: CheckOptions
  private var offset = Limit()
  private var (least, most) = (Limit(), Limit())
  private var (dark, bright) = (Limit(), Limit())
  private var (yaw, pitch, roll) = (Limit(), Limit(), Limit())
  private var eyes = Limit()
  private var sharpness = Limit()
  private var motion = Limit()

  init(_ options: CheckOptions) {
    self.options = options
  }

  /// What is wrong, the most important first; nothing of a face that is right. What has to be known and is not is wrong, too.
  mutating func wrong(_ sight: Sight, _ depth: Depth) -> [Tip] {
    var tips: [Tip] = []
    if !sight.isAlone { tips.append(.severalFaces) }
    addPlace(sight, &tips)
    if depth.rawValue >= Depth.light.rawValue { addLight(sight, &tips) }
    if depth.rawValue >= Depth.photo.rawValue { addPhoto(sight.face, &tips) }
    if depth == .rest { addMotion(sight, &tips) }
    return tips
  }

  private mutating func addPlace(_ sight: Sight, _ tips: inout [Tip]) {
    let (box, place, band) = (sight.face.box, sight.place, options.hysteresis)
    if options.maxOffset < 1,
      !offset.keeps(place.offset(box), atMost: options.maxOffset, downTo: 0, band)
    {
      tips.append(place.tip(towards: box))
    }
    let size = place.size(box)
    if options.minFace > 0,
      !least.keeps(size, atLeast: options.minFace, upTo: options.maxFace, band)
    {
      tips.append(.comeCloser)
    }
    if options.maxFace < 2, !most.keeps(size, atMost: options.maxFace, downTo: options.minFace, band) {
      tips.append(.moveBack)
    }
  }

  private mutating func addLight(_ sight: Sight, _ tips: inout [Tip]) {
    let (least, most, band) = (options.minBrightness, options.maxBrightness, options.hysteresis)
    let brightness = sight.brightness ?? .nan
    if least > 0, !dark.keeps(brightness, atLeast: least, upTo: most, band) { tips.append(.tooDark) }
    if most < 1, sight.brightness != nil || least == 0,
      !bright.keeps(brightness, atMost: most, downTo: least, band)
    {
      tips.append(.tooBright)
    }
  }

  private mutating func addPhoto(_ face: Face, _ tips: inout [Tip]) {
    let band = options.hysteresis
    if options.asksForPose {
      if let pose = face.pose {
        if !keeps(&yaw, pose.yaw, options.maxYaw) { tips.append(pose.yaw > 0 ? .lookRight : .lookLeft) }
        if !keeps(&pitch, pose.pitch, options.maxPitch) { tips.append(pose.pitch > 0 ? .lookDown : .lookUp) }
        if !keeps(&roll, pose.roll, options.maxRoll) { tips.append(pose.roll > 0 ? .tiltRight : .tiltLeft) }
      } else {
        // The detector sees a face where the networks for its parts see none: it looks elsewhere, or is covered.
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
  }

  private mutating func addMotion(_ sight: Sight, _ tips: inout [Tip]) {
    guard options.maxMotion < 10 else { return }
    if !motion.keeps(sight.motion ?? .nan, atMost: options.maxMotion, downTo: 0, options.hysteresis) {
      tips.append(.holdStill)
    }
  }

  private func keeps(_ limit: inout Limit, _ angle: Float, _ most: Float) -> Bool {
    most >= 90 || limit.keeps(abs(angle), atMost: most, downTo: 0, options.hysteresis)
  }
}

extension CheckOptions {
  var asksForPose: Bool { min(maxYaw, maxPitch, maxRoll) < 90 }
}

/// A limit that a value has to keep; once overstepped, it is kept again only from some way inside.
struct Limit {
  private var isOverstepped = false

  /// - Parameters:
  ///   - limit: the least value.
  ///   - end: the other end of what is allowed: the way back begins halfway to it at most.
  mutating func keeps(_ value: Float, atLeast limit: Float, upTo end: Float, _ hysteresis: Float) -> Bool {
    keeps(value - limit, band: hysteresis * min(abs(limit), abs(end - limit)))
  }

  /// - Parameters:
  ///   - limit: the greatest value.
  ///   - end: as above.
  mutating func keeps(_ value: Float, atMost limit: Float, downTo end: Float, _ hysteresis: Float) -> Bool {
    keeps(limit - value, band: hysteresis * min(abs(limit), abs(limit - end)))
  }

  /// What is no number keeps nothing.
  private mutating func keeps(_ margin: Float, band: Float) -> Bool {
    isOverstepped = !(margin >= (isOverstepped ? band : 0))
    return !isOverstepped
  }
}

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
