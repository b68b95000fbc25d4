public import ArgumentParser
public import FaceCore

/// What to look for, on the command line.
struct DetectionArguments: ParsableArguments {
  @Option(help: "How time is weighed against faces found (default: balanced).")
  var accuracy: Accuracy?

  @Option(help: "Name of the loaded model to use; the engine's own choice without.")
  var use = ""

  @Option(help: "Leave out faces of less confidence, 0 to 1.")
  var minConfidence = DetectionOptions().minConfidence

  @Option(
    help:
      "Search a larger image scaled down to this long side in pixels; \"native\" for its own size (default: what --accuracy brings)."
  )
  var maxSide: MaxSide?

  @Option(help: "At most this many faces, the most certain ones; 0 for all.")
  var maxFaces = DetectionOptions().maxFaces

  @Option(help: "Leave out faces whose shorter side is below this many pixels.")
  var minFaceSize = DetectionOptions().minFaceSize

  @Option(help: "Of two boxes that overlap by more than this (intersection over union) leave one out.")
  var overlapThreshold = DetectionOptions().overlapThreshold

  func validate() throws {
    do {
      _ = try options()
    } catch {
      throw ValidationError("\(error.message).")
    }
  }

  func options() throws(Status) -> DetectionOptions {
    var options = DetectionOptions()
    if let accuracy { options.accuracy = accuracy }
    options.model = use
    options.minConfidence = minConfidence
    options.maxSide = maxSide?.pixels
    options.maxFaces = maxFaces
    options.minFaceSize = minFaceSize
    options.overlapThreshold = overlapThreshold
    try options.validate()
    return options
  }
}

extension Accuracy: ExpressibleByArgument {
  public init?(argument: String) {
    guard let value = Accuracy.allCases.first(where: { "\($0)" == argument }) else { return nil }
    self = value
  }

  public static var allValueStrings: [String] { allCases.map { "\($0)" } }

  public static var allValueDescriptions: [String: String] {
    [
      "low": "the quickest; small faces are missed", "balanced": "what suits nearly all pictures",
      "high": "several networks and scales together, some ten times slower",
    ]
  }
}

/// A bound in pixels, or "native" for none.
struct MaxSide: ExpressibleByArgument {
  /// 0 for none.
  let pixels: Int

  init(pixels: Int) {
    self.pixels = pixels
  }

  init?(argument: String) {
    if argument == "native" {
      pixels = 0
    } else if let number = Int(argument), number > 0 {
      pixels = number
    } else {
      return nil
    }
  }
}

/// What to tell of each face beyond its box, as flags of `face-engine detect`.
struct OutputArguments: ParsableArguments {
  @Flag(help: "Tell the 478 points of each face, and those of its eyes, eyebrows, nose, lips and contour.")
  var landmarks = false

  @Flag(help: "Tell how the head is turned, in degrees.")
  var pose = false

  @Flag(
    help: "Tell whether it smiles, how far mouth and eyes are open, and 52 coefficients of its expression.")
  var expressions = false

  @Flag(help: "Tell how good a picture of the face this is, 0 to 1.")
  var quality = false

  @Flag(help: "Tell all of this.")
  var all = false

  var outputs: FaceOutputs {
    if all { return .all }
    var outputs: FaceOutputs = []
    if landmarks { outputs.insert(.landmarks) }
    if pose { outputs.insert(.pose) }
    if expressions { outputs.formUnion([.expressions, .eyes, .mouth]) }
    if quality { outputs.insert(.quality) }
    return outputs
  }
}

/// Whether and how faces are followed, on the command line.
struct TrackingArguments: ParsableArguments {
  @Flag(help: "Take the files for the frames of one video: faces have ids, and who left is said.")
  var track = false

  @OptionGroup var following: FollowingArguments
}

/// How faces are followed, on the command line.
struct FollowingArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A face not found in more frames than this, one after the other, has left. (default: \(TrackingOptions().maxMissedFrames), of a check \(TrackingOptions.missedFramesOfChecks))"
    ))
  var maxMissedFrames: Int?

  @Option(help: "Search the whole picture at least every so many frames; 1 for each.")
  var detectionInterval = TrackingOptions().detectionInterval

  func validate() throws {
    do {
      _ = try options()
    } catch {
      throw ValidationError("\(error.message).")
    }
  }

  /// - Parameter isCheck: whether the faces are those of a guided check.
  func options(isCheck: Bool = false) throws(Status) -> TrackingOptions {
    var options = TrackingOptions()
    if isCheck { options.maxMissedFrames = TrackingOptions.missedFramesOfChecks }
    if let maxMissedFrames { options.maxMissedFrames = maxMissedFrames }
    options.detectionInterval = detectionInterval
    try options.validate()
    return options
  }
}
