/// How a guided check is done. Sizes, offsets and motion are in parts of the circle or the face, durations in nanoseconds.
/// A limit at the end of its range is not looked at.
public struct CheckOptions: Equatable, Sendable {
  public static let maxActions = 8
  /// Of the view's shorter side, where no circle is given.
  public static let standardRadius: Float = 0.4

  /// In which `mask` is given, as a rule the view that shows the preview.
  public var space = CoordinateSpace.pixels
  /// The circle to hold the face into; `nil`: in the middle.
  public var mask: Circle?
  /// Whether the frames' timestamps are the time, instead of the clock of the machine that searches.
  public var usesTimestamps = false
  /// How long a face has to be in the circle before the check begins.
  public var startDelay: Int64 = 500_000_000
  /// How long the face has to be right at the end.
  public var hold: Int64 = 1_000_000_000
  /// An interruption no longer than this does not begin `hold` anew; a face that was away for longer does all again, its
  /// actions too.
  public var grace: Int64 = 250_000_000
  /// A face that is away for longer is lost.
  public var lost: Int64 = 1_500_000_000
  /// How long the check may take from its beginning; 0 without bound.
  public var timeout: Int64 = 30_000_000_000
  /// How long to wait for that beginning; 0 without bound.
  public var waitTimeout: Int64 = 0
  /// A tip stays for at least this long, unless the check ends.
  public var tipTime: Int64 = 800_000_000
  /// 0…0.5: a limit that was overstepped holds again only when it is kept by this part of itself.
  public var hysteresis: Float = 0.1
  /// 0…2: the box's long side by the circle's diameter.
  public var minFace: Float = 0.45
  public var maxFace: Float = 1
  /// 0…1: the box's middle from the circle's, by its radius.
  public var maxOffset: Float = 0.3
  /// 0…1: larger faces beside it, by its own size, are one too many.
  public var maxOtherFace: Float = 0.5
  /// 0…90 degrees, either way.
  public var maxYaw: Float = 15
  public var maxPitch: Float = 15
  public var maxRoll: Float = 15
  /// 0…1, of each eye.
  public var minEyesOpen: Float = 0.5
  /// 0…1: the mean luma of the face.
  public var minBrightness: Float = 0.2
  public var maxBrightness: Float = 0.9
  /// 0…1: as `CaptureQuality.sharpness`.
  public var minSharpness: Float = 0.3
  /// 0…10: of the box's middle, in long sides of the box a second.
  public var maxMotion: Float = 0.5
  /// 5…60 degrees: of the actions that turn the head.
  public var turnAngle: Float = 20
  /// To be done one after the other, `maxActions` at most.
  public var actions: [CheckAction] = []
  /// In a fresh random order with each attempt.
  public var shufflesActions = false
  /// Of that order; 0: another one each time.
  public var seed: UInt64 = 0
  /// Whether a face that is lost or replaced lets the check wait for the next one instead of failing.
  public var startsOver = false
  /// Pixels, 16…4096: the sides of the result's crop.
  public var cropSize = 512
  /// 0…4: around the box on each side, by its long side.
  public var cropMargin: Float = 0.4
  /// Whether each frame is a photo for itself, which is right when no tip applies.
  public var isStill = false
  /// Whether who hands in the frames keeps the best of them (`CheckReport.isBest`) for the result, which then has no bytes.
  public var callerKeepsPicture = false

  public init() {}

  /// Throws `invalidArgument`, naming the option, when a value is outside its range or not a number.
  public func validate() throws(Status) {
    for (name, value) in durations where value < 0 {
      throw Status(.invalidArgument, "\(name) is \(value) ns; give 0, or more")
    }
    for (name, value, range) in limits where !range.contains(value) {
      throw Status(
        .invalidArgument, "\(name) is \(value); give a number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    try checkOrder("face size", minFace, maxFace)
    try checkOrder("brightness", minBrightness, maxBrightness)
    guard actions.count <= CheckOptions.maxActions else {
      throw Status(
        .invalidArgument, "there are \(actions.count) actions; give \(CheckOptions.maxActions) at most")
    }
    guard (ImageLimits.minSide...4096).contains(cropSize) else {
      throw Status(
        .invalidArgument, "crop size is \(cropSize); give \(ImageLimits.minSide) to 4096 pixels")
    }
    if let mask {
      guard mask.center.x.isFinite, mask.center.y.isFinite, mask.radius > 0, mask.radius.isFinite else {
        throw Status(
          .invalidArgument, "mask has no place or a radius of 0 or less; give all zeros for the middle")
      }
    }
    // Whether it is a space does not depend on the image.
    _ = try space.conversion(for: PixelSize(width: 1, height: 1))
  }

  private var durations: [(StaticString, Int64)] {
    [
      ("start delay", startDelay), ("hold", hold), ("grace", grace), ("lost", lost), ("timeout", timeout),
      ("wait timeout", waitTimeout), ("tip time", tipTime),
    ]
  }

  private var limits: [(StaticString, Float, ClosedRange<Float>)] {
    [
      ("hysteresis", hysteresis, 0...0.5), ("min face", minFace, 0...2), ("max face", maxFace, 0...2),
      ("max offset", maxOffset, 0...1), ("max other face", maxOtherFace, 0...1), ("max yaw", maxYaw, 0...90),
      ("max pitch", maxPitch, 0...90), ("max roll", maxRoll, 0...90),
      ("min eyes open", minEyesOpen, 0...1),
      ("min brightness", minBrightness, 0...1), ("max brightness", maxBrightness, 0...1),
      ("min sharpness", minSharpness, 0...1), ("max motion", maxMotion, 0...10),
      ("turn angle", turnAngle, 5...60), ("crop margin", cropMargin, 0...4),
    ]
  }

  private func checkOrder(_ name: StaticString, _ least: Float, _ most: Float) throws(Status) {
    guard least < most else {
      throw Status(
        .invalidArgument, "min \(name) is \(least) and max \(name) is \(most); give a range")
    }
  }
}
