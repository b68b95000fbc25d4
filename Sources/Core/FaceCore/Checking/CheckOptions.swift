/// The options of a guided check. Sizes, offsets and motion are in parts of the circle or the face, durations
/// in nanoseconds. A limit at the end of its range is not checked.
public struct CheckOptions: OptionTable, Equatable, Sendable {
  public static let maxActions = 8
  /// The standard radius of the circle, as a part of the view's shorter side.
  public static let standardRadius: Float = 0.4

  /// The coordinate space of `mask`, usually the view that shows the preview.
  public var space = CoordinateSpace.pixels
  /// The circle to hold the face into; `nil`: one in the middle.
  public var mask: Circle?
  /// Whether time is taken from the frames' timestamps instead of the clock of the machine that runs the
  /// check.
  public var usesTimestamps = false
  /// How long a face has to be in the circle before the check begins.
  public var startDelay: Int64 = 500_000_000
  /// How long the face has to be right before the check succeeds.
  public var hold: Int64 = 1_000_000_000
  /// An interruption no longer than this does not restart `hold`; after a longer one the face has to do
  /// everything again, the actions too.
  public var grace: Int64 = 250_000_000
  /// A face that is away for longer is lost.
  public var lost: Int64 = 1_500_000_000
  /// How long the check may take from its beginning; 0 for no limit.
  public var timeout: Int64 = 30_000_000_000
  /// How long to wait for the check to begin; 0 for no limit.
  public var waitTimeout: Int64 = 0
  /// A tip stays for at least this long, unless the check ends before.
  public var tipTime: Int64 = 800_000_000
  /// 0…0.5: once a limit was exceeded, it counts as met again only with this part of itself as a margin.
  public var hysteresis: Float = 0.1
  /// 0…2: the least long side of the box, in diameters of the circle.
  public var minFace: Float = 0.45
  public var maxFace: Float = 1
  /// 0…1: the largest distance between the middles of box and circle, in radii of the circle.
  public var maxOffset: Float = 0.3
  /// 0…1: the largest face beside the checked one that is tolerated, in parts of the size of the checked one.
  public var maxOtherFace: Float = 0.5
  /// 0…90 degrees: the largest yaw to either side; likewise below for pitch and roll.
  public var maxYaw: Float = 15
  public var maxPitch: Float = 15
  public var maxRoll: Float = 15
  /// 0…1: the least openness of each eye.
  public var minEyesOpen: Float = 0.5
  /// 0…1: the least mean luma of the face.
  public var minBrightness: Float = 0.2
  public var maxBrightness: Float = 0.9
  /// 0…1: the least `CaptureQuality.sharpness`.
  public var minSharpness: Float = 0.3
  /// 0…10: the highest speed of the box's middle, in long sides of the box a second.
  public var maxMotion: Float = 0.5
  /// 0…100: the least quality components of measures of ISO/IEC 29794-5. A measure that is missing or 0 is
  /// not checked.
  public var minISO: [ISOMeasure: Float] = [:]
  /// 5…60 degrees: how far the head has to turn for `turnLeft` and `turnRight`.
  public var turnAngle: Float = 20
  /// 0.1…0.9: the mean openness of both eyes below which they count as closed for `blink`.
  public var maxBlinkOpen: Float = Eyes.closedBelow
  /// 0.1…1: the least smile for `smile`.
  public var minSmile: Float = 0.7
  /// The actions to be done, one after the other; at most `maxActions`.
  public var actions: [CheckAction] = []
  /// Whether each attempt asks for the actions in a new random order.
  public var shufflesActions = false
  /// The seed of that order; 0: a new one each time.
  public var seed: UInt64 = 0
  /// Whether a face that is lost or replaced makes the check wait for the next one instead of failing.
  public var startsOver = false
  /// 16…4096: the side of the result's crop, in pixels.
  public var cropSize = 512
  /// 0…4: the crop's margin around the box on each side, in long sides of the box.
  public var cropMargin: Float = 0.4
  /// Whether each frame is checked by itself as a photo, which passes when no tip applies.
  public var isStill = false
  /// Whether the code that submits the frames keeps the best of them (`CheckReport.isBest`) for the result,
  /// which then contains no bytes.
  public var callerKeepsPicture = false

  public init() {}

  /// The table of the numeric options. The names are those of `face_check_options`, of the message and of the
  /// flags.
  public static let fields: [OptionField] = [
    OptionField(
      "hysteresis", \CheckOptions.hysteresis, 0...0.5,
      "By which part of itself an overstepped limit must be kept again."),
    OptionField(
      "start_delay_ns", \CheckOptions.startDelay,
      "How long a face has to be in the circle before the check begins."),
    OptionField("hold_ns", \CheckOptions.hold, "How long the face has to be right at the end."),
    OptionField("grace_ns", \CheckOptions.grace, "How long an interruption is forgiven."),
    OptionField("lost_ns", \CheckOptions.lost, "After how long a face that is away is lost."),
    OptionField("timeout_ns", \CheckOptions.timeout, "How long the check may take; 0 without bound."),
    OptionField(
      "wait_timeout_ns", \CheckOptions.waitTimeout, "How long to wait for its beginning; 0 without bound."),
    OptionField("tip_ns", \CheckOptions.tipTime, "How long a tip stays at least."),
    OptionField(
      "min_face", \CheckOptions.minFace, 0...2,
      "The face's long side by the circle's diameter, at least; 0: any."),
    OptionField("max_face", \CheckOptions.maxFace, 0...2, "The same, at most; 2: any."),
    OptionField(
      "max_offset", \CheckOptions.maxOffset, 0...1,
      "The face's middle from the circle's, by its radius, at most."),
    OptionField(
      "max_other_face", \CheckOptions.maxOtherFace, 0...1, "How large another face may be beside it; 1: any."),
    OptionField("max_yaw", \CheckOptions.maxYaw, 0...90, "Degrees that the head may be turned; 90: any."),
    OptionField(
      "max_pitch", \CheckOptions.maxPitch, 0...90, "Degrees that it may be raised or lowered; 90: any."),
    OptionField("max_roll", \CheckOptions.maxRoll, 0...90, "Degrees that it may be tilted; 90: any."),
    OptionField(
      "min_eyes_open", \CheckOptions.minEyesOpen, 0...1,
      "How far each eye has to be open; 0: they may be closed."),
    OptionField(
      "min_brightness", \CheckOptions.minBrightness, 0...1, "The face's mean brightness, at least; 0: any."),
    OptionField("max_brightness", \CheckOptions.maxBrightness, 0...1, "The same, at most; 1: any."),
    OptionField("min_sharpness", \CheckOptions.minSharpness, 0...1, "How sharp the face has to be; 0: any."),
    OptionField(
      "max_motion", \CheckOptions.maxMotion, 0...10,
      "Long sides of the face that it may move in a second; 10: any."),
    OptionField("turn_angle", \CheckOptions.turnAngle, 5...60, "Degrees of the actions that turn the head."),
    OptionField(
      "max_blink_open", \CheckOptions.maxBlinkOpen, 0.1...0.9,
      "How far the eyes are open in a blink, at most."),
    OptionField(
      "min_smile", \CheckOptions.minSmile, 0.1...1, "How likely a smile is that counts as one, at least."),
    OptionField("crop_size", \CheckOptions.cropSize, 16...4096, "Pixels of the crop's sides."),
    OptionField(
      "crop_margin", \CheckOptions.cropMargin, 0...4,
      "Around the face in the crop on each side, by its long side."),
  ]

  /// Throws `invalidArgument`, naming the option, when a value is outside its range or not a number.
  public func validate() throws(Status) {
    try validate(CheckOptions.fields)
    try checkOrder("face size", minFace, maxFace)
    try checkOrder("brightness", minBrightness, maxBrightness)
    for measure in ISOMeasure.allCases {
      guard let least = minISO[measure], !(0...100).contains(least) else { continue }
      throw Status(
        .invalidArgument, "the least component of \(measure.name) is \(least); give 0 to 100, or 0 for any")
    }
    guard actions.count <= CheckOptions.maxActions else {
      throw Status(
        .invalidArgument, "there are \(actions.count) actions; give \(CheckOptions.maxActions) at most")
    }
    if let mask {
      guard mask.center.x.isFinite, mask.center.y.isFinite, mask.radius > 0, mask.radius.isFinite else {
        throw Status(
          .invalidArgument, "mask has no place or a radius of 0 or less; give all zeros for the middle")
      }
    }
    // Whether the space is valid does not depend on the image.
    _ = try space.conversion(for: PixelSize(width: 1, height: 1))
  }

  private func checkOrder(_ name: StaticString, _ least: Float, _ most: Float) throws(Status) {
    guard least < most else {
      throw Status(
        .invalidArgument, "min \(name) is \(least) and max \(name) is \(most); give a range")
    }
  }
}
