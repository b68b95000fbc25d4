public import ArgumentParser
public import FaceCore

/// Detection options on the command line.
public struct DetectionArguments: ParsableArguments, Sendable {
  @Option(help: "Trade-off between speed and faces found. (default: balanced)")
  public var accuracy: Accuracy?

  @Option(help: "Name of the loaded model to use. (default: the first one)")
  public var use = ""

  @Option(
    help:
      "Scale larger images down to this long side, in pixels, before the search. native: search the image in its own size, and smaller copies for large faces. (default: depends on --accuracy)"
  )
  public var maxSide: MaxSide?

  @Flag(
    help:
      "Report only the most prominent face: the largest one, where a face near the middle counts as larger.")
  public var prominentOnly = false

  @OptionGroup public var numbers: OptionFlags<DetectionOptions>

  @Option(help: "How far a head may be tilted. (default: upright)")
  public var rotations: Rotations?

  public init() {}

  public func validate() throws {
    try ValidationError.reporting { _ = try options() }
  }

  public func options() throws(Status) -> DetectionOptions {
    var options = DetectionOptions()
    if let rotations { options.rotations = rotations }
    if let accuracy { options.accuracy = accuracy }
    options.model = use
    options.maxSide = maxSide?.pixels
    numbers.set(&options)
    options.isProminentOnly = prominentOnly
    try options.validate()
    return options
  }
}

extension Accuracy: NamedArgument {
  public static var allValueDescriptions: [String: String] {
    [
      "low": "fastest; misses small faces", "balanced": "right for nearly all pictures",
      "high": "several networks and scales together; about ten times slower",
    ]
  }
}

extension Rotations: NamedArgument {
  public static var allValueDescriptions: [String: String] {
    [
      "upright": "up to about 45° to either side",
      "any": "any angle, even upside down; 1.5 to 2.5 times slower",
    ]
  }
}

/// A limit in pixels, or "native" for none.
public struct MaxSide: ExpressibleByArgument, Sendable {
  /// The limit; 0 for none.
  public let pixels: Int

  public init?(argument: String) {
    if argument == "native" {
      pixels = 0
    } else if let number = Int(argument), number > 0 {
      pixels = number
    } else {
      return nil
    }
  }
}

/// The measurements of each face to print besides its box.
public struct OutputArguments: ParsableArguments, Sendable {
  @Flag public var asked: [OutputFlag] = []

  public init() {}

  public var outputs: FaceOutputs { FaceOutputs(asked.map(\.outputs)) }

  /// The outputs that a flag of their own requests.
  public var named: FaceOutputs { FaceOutputs(asked.filter { $0 != .all }.map(\.outputs)) }
}

/// A flag that asks for one output or several.
public struct OutputFlag: EnumerableFlag, CustomStringConvertible, Sendable {
  /// The flags of `FaceOutputs.table`; a flag of several outputs requests them together.
  public static let allCases: [OutputFlag] = {
    var flags: [OutputFlag] = []
    for row in FaceOutputs.table {
      let name = "\(row.flag)"
      if let last = flags.last, last.description == name {
        flags[flags.count - 1] = OutputFlag(
          name, last.outputs.union(row.output), "\(last.help) \(row.meaning)")
      } else {
        flags.append(OutputFlag(name, row.output, "\(row.meaning)"))
      }
    }
    return flags + [all]
  }()

  static let all = OutputFlag("all", .all, "All of these.")

  public let description: String
  public let outputs: FaceOutputs
  private let help: String

  private init(_ name: String, _ outputs: FaceOutputs, _ help: String) {
    (description, self.outputs, self.help) = (name, outputs, help)
  }

  public static func name(for flag: OutputFlag) -> NameSpecification { .customLong(flag.description) }

  public static func help(for flag: OutputFlag) -> ArgumentHelp? { ArgumentHelp(stringLiteral: flag.help) }
}

/// A constellation by its number of points.
public struct ConstellationArgument: ExpressibleByArgument, Sendable {
  public let points: LandmarkConstellation

  public init?(argument: String) {
    let named = LandmarkConstellation.allCases.first { $0 != .mesh && "\($0.count)" == argument }
    guard let named else { return nil }
    points = named
  }

  public static var allValueStrings: [String] {
    LandmarkConstellation.allCases.filter { $0 != .mesh }.map { "\($0.count)" }
  }
}

/// A screen below the camera: its size and its distance from the camera, in centimetres.
public struct ScreenArgument: ExpressibleByArgument, Sendable {
  public let screen: Screen

  public init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let size = parts[0].split(separator: "x", omittingEmptySubsequences: false).map { Float($0) }
    guard size.count == 2, let width = size[0], let height = size[1], width > 0, height > 0, parts.count <= 2,
      let gap = parts.count == 2 ? Float(parts[1]) : 0
    else { return nil }
    screen = Screen(width: width, height: height, gap: gap)
    guard (try? screen.validate()) != nil else { return nil }
  }
}

/// Tracking on the command line, off by default.
public struct TrackingArguments: ParsableArguments, Sendable {
  @Flag(help: "Treat the files as frames of one video: give faces ids, and print the ids of faces that left.")
  public var track = false

  @Option(help: "Frames per second of that video, for --analysis-rate and --reidentify.")
  public var frameRate: Float = 25

  @Option(
    help: ArgumentHelp(
      "Follow this face of the first file (its box, in pixels of the upright picture) through the other files. Its id is \(FollowedFace.firstID), or the next number when repeated.",
      valueName: "x,y,width,height"))
  public var follow: [BoxArgument] = []

  @Flag(help: "Follow only the faces given with --follow; do not search for others.")
  public var followedOnly = false

  @OptionGroup public var following: FollowingArguments

  public init() {}

  public func validate() throws {
    guard frameRate > 0, frameRate.isFinite else {
      throw ValidationError("--frame-rate is \(frameRate); give a number of frames per second above 0.")
    }
    let analysisRate = try following.options().analysisRate
    guard track || (follow.isEmpty && !followedOnly && analysisRate == 0 && !following.reidentify) else {
      throw ValidationError("--follow, --followed-only, --analysis-rate and --reidentify need --track.")
    }
    guard !followedOnly || !follow.isEmpty else {
      throw ValidationError("--followed-only needs a face to follow; add --follow X,Y,WIDTH,HEIGHT.")
    }
  }

  public func options() throws(Status) -> TrackingOptions {
    var options = try following.options()
    options.isFollowedOnly = followedOnly
    return options
  }
}

/// Tracking options on the command line.
public struct FollowingArguments: ParsableArguments, Sendable {
  @OptionGroup public var numbers: OptionFlags<TrackingOptions>

  @Flag(
    help:
      "Give a face that comes back within 10 seconds its old id, if it clearly looks the same. For that time, descriptors of small pictures of each face stay in memory."
  )
  public var reidentify = false

  public init() {}

  public func validate() throws {
    try ValidationError.reporting { _ = try options() }
  }

  public func options(isCheck: Bool = false) throws(Status) -> TrackingOptions {
    var options = TrackingOptions()
    if isCheck { options.maxMissedFrames = TrackingOptions.missedFramesOfChecks }
    numbers.set(&options)
    options.reidentifies = reidentify
    try options.validate()
    if isCheck { try options.validateForCheck() }
    return options
  }
}
