public import ArgumentParser
public import FaceCore

/// The options of a guided check on the command line. The face's place is in `CheckPlaceArguments`, since
/// `watch` already has such flags.
public struct CheckArguments: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "Actions that the person must do, in this order, separated by commas; at most \(CheckOptions.maxActions): \(ActionList.names)."
    ))
  public var actions: ActionList?

  @Flag(help: "Ask for the actions in a random order.")
  public var shuffle = false

  @Option(help: "Seed of the random order, for tests. (default: a new one each time)")
  public var seed: UInt64?

  @Flag(help: "Wait for the next face when one is lost or replaced, instead of failing.")
  public var startOver = false

  @Option(help: "Start from the limits of a preset; the flags below override them. (default: standard)")
  public var preset: CheckPreset?

  @Option(
    name: .customLong("min-iso"),
    help: ArgumentHelp(
      "Lowest accepted quality component, 0 to 100, of a measure of ISO/IEC 29794-5, as in headSize=50; may be repeated. `face-engine quality --iso` prints the measures.",
      valueName: "measure=value"))
  public var isoLimits: [ISOLimitArgument] = []

  @OptionGroup public var numbers: OptionFlags<CheckOptions>

  public init() {}

  public func validate() throws {
    try ValidationError.reporting { _ = try options(view: nil, mask: nil) }
  }

  /// - Parameters:
  ///   - view: the view that shows the preview; `nil` for the image itself.
  ///   - mask: the circle in that view; `nil` for one in its centre.
  public func options(view: ViewArgument?, mask: CircleArgument?) throws(Status) -> CheckOptions {
    var options = CheckOptions()
    // Frames of a file and of a camera have their own times: the same frames give the same check, however
    // long it takes.
    options.usesTimestamps = true
    if let view { options.space = .view(view.transform) }
    options.mask = mask?.circle
    options.actions = actions?.actions ?? []
    options.shufflesActions = shuffle
    options.seed = seed ?? 0
    options.startsOver = startOver
    options.apply(preset ?? .standard)
    numbers.set(&options)
    for limit in isoLimits { options.minISO[limit.measure] = limit.least }
    try options.validate()
    return options
  }

  public static func span(_ seconds: Double, _ name: String) throws(Status) -> TimeSpan {
    guard seconds >= 0, seconds <= 1_000_000 else {
      throw Status(.invalidArgument, "\(name) is \(seconds) s; give 0 to 1000000")
    }
    return .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
  }
}

extension CheckPreset: NamedArgument {
  public static var allValueDescriptions: [String: String] {
    [
      "standard": "the defaults",
      "iso": "the pose of ISO/IEC 39794-5: yaw and pitch up to 5°, roll up to 8°",
    ]
  }
}

/// A measure and the lowest accepted value of its component.
public struct ISOLimitArgument: ExpressibleByArgument, Sendable {
  public let measure: ISOMeasure
  public let least: Float

  public init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let least = Float(parts[1]),
      let measure = ISOMeasure.allCases.first(where: { "\($0.name)" == parts[0] })
    else { return nil }
    (self.measure, self.least) = (measure, least)
  }
}

/// Names of actions, separated by commas.
public struct ActionList: ExpressibleByArgument, Sendable {
  public let actions: [CheckAction]

  /// All actions, as in "blink, turn-left".
  static var names: String {
    CheckAction.allCases.map { "\($0.name)".replacing("_", with: "-") }.joined(separator: ", ")
  }

  public init?(argument: String) {
    var actions: [CheckAction] = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let action = CheckAction.allCases.first(where: { "\($0.name)" == name.replacing("-", with: "_") })
      else {
        return nil
      }
      actions.append(action)
    }
    self.actions = actions
  }
}

/// The place of the face in a guided check, on the command line.
public struct CheckPlaceArguments: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "Size of the view that shows the preview, and how it shows it: WIDTHxHEIGHT[,contain|cover|stretch][,90|180|270][,mirrored]. (default: the image itself)",
      valueName: "shape"))
  public var view: ViewArgument?

  @Option(help: "Circle in that view that the face should fill: X,Y,RADIUS. (default: in the middle)")
  public var mask: CircleArgument?
  public init() {}

}
