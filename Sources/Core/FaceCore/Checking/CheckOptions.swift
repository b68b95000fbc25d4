/// The options of a guided check. Sizes, offsets and motion are in parts of the circle or the face. A limit at
/// the end of its range is not checked.
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
  // generated: swift-options CheckOptions CheckOptions
  /// How long a face must be in the circle before the check begins.
  public var startDelay: TimeSpan = .milliseconds(500)
  /// How long the face must meet all limits at the end of the check.
  public var hold: TimeSpan = .seconds(1)
  /// An interruption up to this long does not restart the hold time. After a longer absence the person must
  /// do everything again, including the actions: it may be someone else.
  public var grace: TimeSpan = .milliseconds(250)
  /// A face that is out of sight for longer than this counts as lost.
  public var lost: TimeSpan = .milliseconds(1500)
  /// How long a check may take once it has begun (state CHECKING); 0 for no limit.
  public var timeout: TimeSpan = .seconds(30)
  /// How long the person may take to begin the check (states WAITING and START); 0 for no limit.
  public var waitTimeout: TimeSpan = .zero
  /// Shortest time for which a tip stays, unless the check ends.
  public var tipTime: TimeSpan = .milliseconds(800)
  /// Fraction of the limit by which a value must recover before the limit counts as met again. It keeps
  /// tips from flickering. 0 to 0.5.
  public var hysteresis: Float = 0.1
  /// Smallest long side of the box, in diameters of the circle; 0 for any. 0 to 2.
  public var minFace: Float = 0.45
  /// Largest long side of the box, in diameters of the circle; 2 for any. 0 to 2.
  public var maxFace: Float = 1
  /// Largest distance between the centres of box and circle, in radii of the circle; 1 for any. 0 to 1.
  public var maxOffset: Float = 0.3
  /// Largest other face in the picture, as a fraction of the checked face's size; 1 for any. 0 to 1.
  public var maxOtherFace: Float = 0.5
  /// Largest yaw to either side; 90 for any. 0 to 90 degrees.
  public var maxYaw: Float = 15
  /// Largest pitch up or down; 90 for any. 0 to 90 degrees.
  public var maxPitch: Float = 15
  /// Largest roll to either side; 90 for any. 0 to 90 degrees.
  public var maxRoll: Float = 15
  /// Smallest openness of each eye; 0 if eyes may be closed. 0 to 1.
  public var minEyesOpen: Float = 0.5
  /// Smallest mean brightness (luma) of the face; 0 for any. 0 to 1.
  public var minBrightness: Float = 0.2
  /// Largest mean brightness (luma) of the face; 1 for any. 0 to 1.
  public var maxBrightness: Float = 0.9
  /// Smallest sharpness of the face, as in the capture quality; 0 for any. 0 to 1.
  public var minSharpness: Float = 0.3
  /// Fastest movement of the box's centre, in long sides of the box per second; 10 for any. 0 to 10.
  public var maxMotion: Float = 0.5
  /// How far the head must turn for the actions turn-left and turn-right. Half of it counts for nod and
  /// shake. 5 to 60 degrees.
  public var turnAngle: Float = 20
  /// Width and height of the result's crop. 16 to 4096 pixels.
  public var cropSize = 512
  /// Space around the box in the crop on each side, in long sides of the box. 0 to 4.
  public var cropMargin: Float = 0.4
  /// Largest mean openness of both eyes that counts as closed for the action blink. 0.1 to 0.9.
  public var maxBlinkOpen: Float = 0.5
  /// Smallest smile that counts for the action smile. 0.1 to 1.
  public var minSmile: Float = 0.7

  /// The numeric options, by their names in CheckOptions and in C.
  // swift-format-ignore
  public static let fields: [OptionField] = [
    OptionField(
      "start_delay_ns", \CheckOptions.startDelay, 0...(.infinity),
      "How long a face must be in the circle before the check begins."),
    OptionField(
      "hold_ns", \CheckOptions.hold, 0...(.infinity),
      "How long the face must meet all limits at the end of the check."),
    OptionField(
      "grace_ns", \CheckOptions.grace, 0...(.infinity),
      "An interruption up to this long does not restart the hold time."),
    OptionField(
      "lost_ns", \CheckOptions.lost, 0...(.infinity),
      "A face that is out of sight for longer than this counts as lost."),
    OptionField(
      "timeout_ns", \CheckOptions.timeout, 0...(.infinity),
      "How long a check may take once it has begun (state CHECKING); 0 for no limit."),
    OptionField(
      "wait_timeout_ns", \CheckOptions.waitTimeout, 0...(.infinity),
      "How long the person may take to begin the check (states WAITING and START); 0 for no limit."),
    OptionField(
      "tip_ns", flag: "tip-time", \CheckOptions.tipTime, 0...(.infinity),
      "Shortest time for which a tip stays, unless the check ends."),
    OptionField(
      "hysteresis", \CheckOptions.hysteresis, 0...0.5,
      "Fraction of the limit by which a value must recover before the limit counts as met again."),
    OptionField(
      "min_face", \CheckOptions.minFace, 0...2,
      "Smallest long side of the box, in diameters of the circle; 0 for any."),
    OptionField(
      "max_face", \CheckOptions.maxFace, 0...2,
      "Largest long side of the box, in diameters of the circle; 2 for any."),
    OptionField(
      "max_offset", \CheckOptions.maxOffset, 0...1,
      "Largest distance between the centres of box and circle, in radii of the circle; 1 for any."),
    OptionField(
      "max_other_face", \CheckOptions.maxOtherFace, 0...1,
      "Largest other face in the picture, as a fraction of the checked face's size; 1 for any."),
    OptionField(
      "max_yaw", \CheckOptions.maxYaw, 0...90,
      "Largest yaw to either side; 90 for any."),
    OptionField(
      "max_pitch", \CheckOptions.maxPitch, 0...90,
      "Largest pitch up or down; 90 for any."),
    OptionField(
      "max_roll", \CheckOptions.maxRoll, 0...90,
      "Largest roll to either side; 90 for any."),
    OptionField(
      "min_eyes_open", \CheckOptions.minEyesOpen, 0...1,
      "Smallest openness of each eye; 0 if eyes may be closed."),
    OptionField(
      "min_brightness", \CheckOptions.minBrightness, 0...1,
      "Smallest mean brightness (luma) of the face; 0 for any."),
    OptionField(
      "max_brightness", \CheckOptions.maxBrightness, 0...1,
      "Largest mean brightness (luma) of the face; 1 for any."),
    OptionField(
      "min_sharpness", \CheckOptions.minSharpness, 0...1,
      "Smallest sharpness of the face, as in the capture quality; 0 for any."),
    OptionField(
      "max_motion", \CheckOptions.maxMotion, 0...10,
      "Fastest movement of the box's centre, in long sides of the box per second; 10 for any."),
    OptionField(
      "turn_angle", \CheckOptions.turnAngle, 5...60,
      "How far the head must turn for the actions turn-left and turn-right."),
    OptionField(
      "crop_size", \CheckOptions.cropSize, 16...4096,
      "Width and height of the result's crop."),
    OptionField(
      "crop_margin", \CheckOptions.cropMargin, 0...4,
      "Space around the box in the crop on each side, in long sides of the box."),
    OptionField(
      "max_blink_open", \CheckOptions.maxBlinkOpen, 0.1...0.9,
      "Largest mean openness of both eyes that counts as closed for the action blink."),
    OptionField(
      "min_smile", \CheckOptions.minSmile, 0.1...1,
      "Smallest smile that counts for the action smile."),
  ]
  // end of generated

  /// 0…100: the least quality components of measures of ISO/IEC 29794-5. A measure that is missing or 0 is
  /// not checked.
  public var minISO: [ISOMeasure: Float] = [:]
  /// The actions to be done, one after the other; at most `maxActions`.
  public var actions: [CheckAction] = []
  /// Whether each attempt asks for the actions in a new random order.
  public var shufflesActions = false
  /// The seed of that order; 0: a new one each time.
  public var seed: UInt64 = 0
  /// Whether a face that is lost or replaced makes the check wait for the next one instead of failing.
  public var startsOver = false
  /// Whether each frame is checked by itself as a photo, which passes when no tip applies.
  public var isStill = false
  /// Whether the code that submits the frames keeps the best of them (`CheckReport.isBest`) for the result,
  /// which then contains no bytes.
  public var callerKeepsPicture = false

  public init() {}

  /// Throws `invalidArgument`, naming the option, when a value is outside its range or not a number.
  public func validate() throws(Status) {
    try validate(CheckOptions.fields)
    try checkOrder("face", minFace, maxFace)
    try checkOrder("brightness", minBrightness, maxBrightness)
    for measure in ISOMeasure.allCases {
      guard let least = minISO[measure], !(0...100).contains(least) else { continue }
      throw Status(
        .invalidArgument, "the limit for \(measure.name) is \(least); give 0 (any) to 100")
    }
    guard actions.count <= CheckOptions.maxActions else {
      throw Status(
        .invalidArgument, "there are \(actions.count) actions; give at most \(CheckOptions.maxActions)")
    }
    if let mask {
      guard mask.center.x.isFinite, mask.center.y.isFinite, mask.radius > 0, mask.radius.isFinite else {
        throw Status(
          .invalidArgument,
          "mask has a position that is not finite, or a radius of 0 or less; give all zeros for the middle")
      }
    }
    // Whether the space is valid does not depend on the image.
    _ = try space.conversion(for: PixelSize(width: 1, height: 1))
  }

  private func checkOrder(_ name: StaticString, _ least: Float, _ most: Float) throws(Status) {
    guard least < most else {
      throw Status(
        .invalidArgument, "min_\(name) is \(least) and max_\(name) is \(most); give a min_\(name) below max_\(name)")
    }
  }
}
