import ArgumentParser
import FaceCore

/// How a guided check is done, on the command line. Where the face is to be is asked for apart: `watch` has flags of that
/// meaning already.
struct CheckArguments: ParsableArguments {
  private static let standard = CheckOptions()

  @Option(
    help: "What to do, one after the other, as in blink,turn-left,turn-right,smile,open-mouth; 8 at most.")
  var actions: ActionList?

  @Flag(help: "Ask for the actions in a random order.")
  var shuffle = false

  @Option(help: "Of that order, for tests; another one each time without.")
  var seed: UInt64 = 0

  @Flag(help: "Wait for the next face when one is lost or replaced, instead of failing.")
  var startOver = false

  @Option(help: "Seconds that a face has to be in the circle before the check begins.")
  var startDelay = CheckArguments.seconds(CheckArguments.standard.startDelay)

  @Option(help: "Seconds that the face has to be right at the end.")
  var hold = CheckArguments.seconds(CheckArguments.standard.hold)

  @Option(help: "Seconds of an interruption that is forgiven.")
  var grace = CheckArguments.seconds(CheckArguments.standard.grace)

  @Option(help: "Seconds after which a face that is away is lost.")
  var lost = CheckArguments.seconds(CheckArguments.standard.lost)

  @Option(help: "Seconds that the check may take; 0 without bound.")
  var timeout = CheckArguments.seconds(CheckArguments.standard.timeout)

  @Option(help: "Seconds to wait for its beginning; 0 without bound.")
  var waitTimeout = CheckArguments.seconds(CheckArguments.standard.waitTimeout)

  @Option(help: "Seconds that a tip stays at least.")
  var tipTime = CheckArguments.seconds(CheckArguments.standard.tipTime)

  @Option(help: "The face's long side by the circle's diameter, at least, 0 to 2.")
  var minFace = CheckArguments.standard.minFace

  @Option(help: "The same, at most.")
  var maxFace = CheckArguments.standard.maxFace

  @Option(help: "The face's middle from the circle's, by its radius, at most, 0 to 1.")
  var maxOffset = CheckArguments.standard.maxOffset

  @Option(help: "How large another face may be beside it, 0 to 1.")
  var maxOtherFace = CheckArguments.standard.maxOtherFace

  @Option(help: "Degrees that the head may be turned, 0 to 90; 90 for any.")
  var maxYaw = CheckArguments.standard.maxYaw

  @Option(help: "Degrees that it may be raised or lowered.")
  var maxPitch = CheckArguments.standard.maxPitch

  @Option(help: "Degrees that it may be tilted.")
  var maxRoll = CheckArguments.standard.maxRoll

  @Option(help: "How far each eye has to be open, 0 to 1; 0: they may be closed.")
  var minEyesOpen = CheckArguments.standard.minEyesOpen

  @Option(help: "The face's mean brightness, at least, 0 to 1.")
  var minBrightness = CheckArguments.standard.minBrightness

  @Option(help: "The same, at most.")
  var maxBrightness = CheckArguments.standard.maxBrightness

  @Option(help: "How sharp the face has to be, 0 to 1.")
  var minSharpness = CheckArguments.standard.minSharpness

  @Option(help: "Long sides of the face that it may move in a second, at most 10; 10 for any.")
  var maxMotion = CheckArguments.standard.maxMotion

  @Option(help: "By which part of itself an overstepped limit must be kept again, 0 to 0.5.")
  var hysteresis = CheckArguments.standard.hysteresis

  @Option(help: "Degrees of the actions that turn the head, 5 to 60.")
  var turnAngle = CheckArguments.standard.turnAngle

  @Option(help: "Around the face in the crop on each side, by its long side, 0 to 4.")
  var cropMargin = CheckArguments.standard.cropMargin

  @Option(help: "Pixels of the crop's sides, 16 to 4096.")
  var cropSize = CheckArguments.standard.cropSize

  func validate() throws {
    do {
      _ = try options(view: nil, mask: nil)
    } catch {
      throw ValidationError("\(error.message).")
    }
  }

  /// - Parameters:
  ///   - view: that shows the preview; `nil`: the image itself.
  ///   - mask: in that view; `nil`: in its middle.
  func options(view: ViewArgument?, mask: CircleArgument?) throws(Status) -> CheckOptions {
    var options = CheckOptions()
    // A file's frames have their own time, and so has a camera: the same frames are the same check, however long it takes.
    options.usesTimestamps = true
    if let view { options.space = .view(view.transform) }
    options.mask = mask?.circle
    options.actions = actions?.actions ?? []
    options.shufflesActions = shuffle
    options.seed = seed
    options.startsOver = startOver
    options.startDelay = try CheckArguments.nanoseconds(startDelay, "startDelay")
    options.hold = try CheckArguments.nanoseconds(hold, "hold")
    options.grace = try CheckArguments.nanoseconds(grace, "grace")
    options.lost = try CheckArguments.nanoseconds(lost, "lost")
    options.timeout = try CheckArguments.nanoseconds(timeout, "timeout")
    options.waitTimeout = try CheckArguments.nanoseconds(waitTimeout, "waitTimeout")
    options.tipTime = try CheckArguments.nanoseconds(tipTime, "tipTime")
    options.minFace = minFace
    options.maxFace = maxFace
    options.maxOffset = maxOffset
    options.maxOtherFace = maxOtherFace
    options.maxYaw = maxYaw
    options.maxPitch = maxPitch
    options.maxRoll = maxRoll
    options.minEyesOpen = minEyesOpen
    options.minBrightness = minBrightness
    options.maxBrightness = maxBrightness
    options.minSharpness = minSharpness
    options.maxMotion = maxMotion
    options.hysteresis = hysteresis
    options.turnAngle = turnAngle
    options.cropMargin = cropMargin
    options.cropSize = cropSize
    try options.validate()
    return options
  }

  private static func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1_000_000_000 }

  static func nanoseconds(_ seconds: Double, _ name: StaticString) throws(Status) -> Int64 {
    guard seconds >= 0, seconds <= 1_000_000 else {
      throw Status(.invalidArgument, "\(name) is \(seconds) s; give 0 to 1000000")
    }
    return Int64((seconds * 1_000_000_000).rounded())
  }
}

/// Names of actions, separated by commas.
struct ActionList: ExpressibleByArgument {
  let actions: [CheckAction]

  init?(argument: String) {
    var actions: [CheckAction] = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let action = CheckAction.allCases.first(where: { ActionList.name($0) == name }) else {
        return nil
      }
      actions.append(action)
    }
    self.actions = actions
  }

  private static func name(_ action: CheckAction) -> String {
    String("\(action.tip.name)".map { $0 == "_" ? "-" : $0 })
  }
}

/// Where a guided check wants the face, on the command line.
struct CheckPlaceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The view that shows the preview: WIDTHxHEIGHT[,contain|cover|stretch][,90|180|270][,mirrored]; the image itself without.",
      valueName: "shape"))
  var view: ViewArgument?

  @Option(help: "The circle in that view to hold the face into, X,Y,RADIUS; in the middle without.")
  var mask: CircleArgument?
}

/// Where the pictures of a check's result go, on the command line.
struct CheckPictureArguments: ParsableArguments {
  @Option(help: "Save the result's picture as PNG.")
  var picture: String?

  @Option(help: "Save the result's crop as PNG.")
  var crop: String?

  var areAsked: Bool { picture != nil || crop != nil }

  /// Saves those of a result; other events have none.
  func save(_ event: CheckEvent) throws(Status) {
    guard case .result(let taken) = event else { return }
    if let picture { try save(taken.picture, to: picture) }
    if let crop { try save(taken.crop, to: crop) }
  }

  private func save(_ picture: CheckPicture, to path: String) throws(Status) {
    try picture.withImage { (image) throws(Status) in try Annotation.save(image, [], to: path) }
  }
}
