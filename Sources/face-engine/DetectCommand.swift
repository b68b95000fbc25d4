public import ArgumentParser
import Client
import Engine
public import FaceCore
import ModelStore
import Posix

/// `face-engine detect`
struct DetectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Find the faces in JPEG, PNG and WebP files, or in raw pixels.",
    discussion: """
      Asks the engine at --socket, or the one that runs at the standard socket; without one, loads the model itself.
      Positions are pixels of the upright image from its top-left corner unless asked for otherwise; left and right are \
      the subject's own.
      Exit code: 0 all files done, 1 a file failed, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "What the files hold") var input: InputArguments
  @OptionGroup(title: "What to tell of each face (in --json)") var told: OutputArguments
  @OptionGroup(title: "Coordinates (in --json)") var coordinates: SpaceArguments
  @OptionGroup(title: "Tracking") var tracking: TrackingArguments

  @Flag(help: "Print one JSON object a file and line.")
  var json = false

  @Option(help: "Save the picture with its faces marked as PNG; for several files, a folder to save them in.")
  var annotate: String?

  @Option(
    help:
      "Save what the network sees of the image, exactly, as PNG; of several searches, as in --accuracy high, the first one's. The model is loaded in this process."
  )
  var dumpInput: String?

  @Argument(help: "The files to search.")
  var images: [String]

  func validate() throws {
    guard !images.isEmpty else { throw ValidationError("Name at least one image.") }
    if dumpInput != nil {
      guard images.count == 1 else { throw ValidationError("--dump-input takes one image.") }
      guard source.socket == nil else {
        throw ValidationError(
          "--dump-input shows what a network in this process sees, not one behind a socket; leave out --socket."
        )
      }
    }
    if let annotate, images.count > 1, !FileSystem.isDirectory(annotate) {
      throw ValidationError(
        "--annotate \(annotate) must be an existing folder when there are several images.")
    }
    if let annotate, images.count > 1 {
      let targets = images.map { Annotation.path(annotate, for: $0, several: true) }
      guard Set(targets).count == targets.count else {
        throw ValidationError(
          "Two images would be saved under one name in \(annotate); name them in two calls.")
      }
    }
  }

  func run() throws {
    let engine = dumpInput == nil ? nil : try source.load()
    let detector = try engine ?? source.open()
    var options = try detection.options()
    options.outputs = told.outputs
    let video = try tracking.track ? Video(detector, options, tracking.following.options()) : nil
    let progress = Progress(total: images.count)
    var failed = false
    for image in images {
      progress.begin(image)
      let text: String
      do {
        let file = try ImageFile.read(image)
        let (result, left) = try withBytes(of: file) {
          (bytes) throws(Status) -> (DetectionResult, left: [UInt64]) in
          let picture = try input.image(bytes)
          if let dumpInput, let engine { try InputDump.save(picture, as: engine, options, to: dumpInput) }
          let found: (result: DetectionResult, left: [UInt64])
          if let video {
            found = try video.next(picture)
          } else {
            found = (try detector.detect(picture, options: options), left: [])
          }
          if let annotate {
            let target = Annotation.path(annotate, for: image, several: images.count > 1)
            try Annotation.save(picture, found.result.faces, to: target)
          }
          return found
        }
        progress.clear()
        text =
          json
          ? ResultOutput.json(
            image, try coordinates.placed(result), left: left,
            mask: try coordinates.mask(inImageOf: result.imageSize))
          : ResultOutput.table(image, result, left: left)
      } catch {
        progress.clear()
        StandardError.write("face-engine: \(image): \(error.message)\n")
        failed = true
        continue
      }
      try StandardOutput.write(text + "\n")
    }
    if failed { throw ExitCode(1) }
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

/// Which engine a command uses.
struct DetectorSource: ParsableArguments {
  @Option(name: [.long, .customLong("through")], help: "Ask the engine at this socket.")
  var socket: String?

  @Option(
    name: .customLong("model"), parsing: .singleValue,
    help:
      "Load this model folder instead of asking a running engine; given several times, the first is used unless --use names another."
  )
  var models: [String] = []

  @OptionGroup var threads: ThreadArgument

  func validate() throws {
    guard socket == nil || models.isEmpty else {
      throw ValidationError(
        "--socket and --model exclude each other: the engine at a socket has its models loaded.")
    }
  }

  func open() throws(Status) -> any StreamingDetector {
    if let socket { return try Client(socket: socket) }
    if models.isEmpty, let path = try? SocketPath.standard(),
      let running = try? Client(socket: path.description)
    {
      return running
    }
    return try load()
  }

  /// The models in this process.
  func load() throws(Status) -> Engine {
    try Engine(
      modelFolders: try models.isEmpty ? [ModelCatalog.standard().standardModel.path] : models,
      threadsPerFrame: threads.threadsPerFrame)
  }
}

/// How many threads share one image.
struct ThreadArgument: ParsableArguments {
  @Option(
    help: "Threads that share the rows of one image, 1 to 16: it is done sooner, and fewer at the same time.")
  var threadsPerFrame = 1

  func validate() throws {
    guard (1...16).contains(threadsPerFrame) else {
      throw ValidationError("--threads-per-frame \(threadsPerFrame) must be a number from 1 to 16.")
    }
  }
}

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
