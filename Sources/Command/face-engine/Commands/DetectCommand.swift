import ArgumentParser
import CallerOptions
import Client
import Engine
import FaceCore
import Posix
import ResultJSON

/// `face-engine detect`
struct DetectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Find the faces in pictures: files, folders, standard input, or raw pixels.",
    discussion: """
      Uses the engine at --socket, else an engine at a standard socket, else loads the model in this process.

      Positions are pixels of the upright image from its top-left corner, unless you choose other coordinates. Left and \
      right are the subject's own.

      With --json every picture has exactly one line, in the order given. If a picture fails, its line has an error with a \
      code and a sentence.

      With --output, SIGINT and SIGTERM end the run after the pictures in flight, and --resume continues it, also after a \
      crash or a power failure. A finished run with --resume searches only pictures that have been added.

      Exit code: 0 all files done, 1 a file failed or the run was stopped, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Contents of the files") var input: InputArguments
  @OptionGroup(title: "Measurements of each face (in --json; some in --csv)") var measurements: OutputArguments
  @Option(
    help:
      "Print the landmarks of each face as 65, 76 or 98 points, and whether the line through each region is open or closed (in --json).",
    completion: .list(ConstellationArgument.allValueStrings)
  )
  var constellation: ConstellationArgument?

  @Option(
    help: ArgumentHelp(
      "Print the point of a screen that the eyes look at, from 0,0 (top left) to 1,1 (in --json). WIDTHxHEIGHT[,GAP]: size of the screen, and distance from the camera down to it, in cm.",
      valueName: "size"))
  var screen: ScreenArgument?

  @OptionGroup(title: "Coordinates (in --json and --csv)") var coordinates: SpaceArguments
  @OptionGroup(title: "Tracking") var tracking: TrackingArguments

  @Flag(exclusivity: .exclusive)
  var format: OutputFormat = .text

  @Option(
    help:
      "Save the picture with its faces marked. The file's name chooses PNG, JPEG or WebP. For several pictures: a folder for the files NAME.faces.png.",
    completion: .file()
  )
  var annotate: String?

  @Option(
    help:
      "Save the exact input of the network as a .png; the first input if there are several, as with --accuracy high. Loads the model in this process.",
    completion: .file()
  )
  var dumpInput: String?

  @Option(
    name: .customLong("box"),
    help: ArgumentHelp(
      "A known face, in pixels of the upright picture; may be repeated. Only these faces are measured, and no detector runs. Takes one image.",
      valueName: "x,y,width,height"))
  var boxes: [BoxArgument] = []

  @OptionGroup(title: "Results") var results: ResultArguments
  @OptionGroup(title: "Pictures") var list: PictureListArguments

  func validate() throws {
    try results.validate(format, isTracking: tracking.track, list)
    if !boxes.isEmpty {
      guard !list.mayBeSeveral, !tracking.track, dumpInput == nil else {
        throw ValidationError("--box takes one image, without --track and --dump-input.")
      }
      guard !measurements.outputs.isEmpty else {
        throw ValidationError("--box only measures, and nothing is requested; add --landmarks, --pose or others.")
      }
    }
    if dumpInput != nil {
      try PictureTargets.checkName(dumpInput, "--dump-input")
      guard !list.mayBeSeveral else { throw ValidationError("--dump-input takes one image.") }
      guard source.socket == nil else {
        throw ValidationError(
          "--dump-input needs a network in this process, not one at a socket; leave out --socket."
        )
      }
    }
    guard !tracking.track || (list.jobs ?? 1) == 1 else {
      throw ValidationError("--track processes one frame at a time; leave out --jobs.")
    }
    if format == .csv {
      guard FaceColumns.outputs.isSuperset(of: measurements.outputs), constellation == nil, screen == nil,
        coordinates.mask == nil
      else {
        throw ValidationError(
          "--csv has columns only for --pose, --expressions and --quality; print the rest with --json.")
      }
    }
  }

  func run() throws {
    let signals = try results.output.map { (_) throws(Status) in try StopSignals() }
    let file = try results.file(
      OptionRecord(of: self, standard: try DetectCommand.parse(["-"]), except: Self.withoutEffect))
    let found = try list.pictures(isRaw: input.raw != nil)
    let pictures = found.pictures
    let targets = try annotate.map {
      try PictureTargets($0, option: "--annotate", for: pictures, needsFolder: list.mayBeSeveral)
    }
    var sandbox = Sandbox.command(
      reading: found.paths, outputs: [annotate, dumpInput].compactMap { $0 })
    if file != nil { sandbox.needs.insert(.output) }
    let engine = dumpInput == nil ? nil : try source.load(sandbox)
    let detector = try engine ?? source.open(sandbox)
    try signals?.handle(limit: nil, warning: "stopped before the pictures in flight were finished")
    var options = try detection.options()
    options.outputs = measurements.outputs(of: detector)
    if !boxes.isEmpty { options.boxes = boxes.map(\.box) }
    if constellation != nil { options.outputs.insert(.landmarks) }
    if screen != nil { options.outputs.insert(.gaze) }
    let video = try tracking.track ? Video(detector, options, tracking) : nil
    let jobs = video == nil ? list.jobCount(threadsPerFrame: source.network.threads) : 1
    var run = PictureRun(
      list: found, format: format, jobs: jobs, columns: CSV.columns(FaceColumns.names), file: file,
      isInOrder: !results.unordered)
    if let signals { run.isStopped = { signals.hasCome } }
    if let client = detector as? Client { run.hasLostEngine = { (try? client.info()) == nil } }
    try run.run { [self, options] (index, bytes) throws(Status) in
      let picture = try input.image(bytes)
      if let dumpInput, let engine { try InputDump.save(picture, as: engine, options, to: dumpInput) }
      let (result, left): (DetectionResult, [UInt64])
      if let video {
        (result, left) = try video.next(picture)
      } else {
        (result, left) = (try detector.detect(picture, options: options), [])
      }
      if let targets {
        try Annotation.save(picture, result.faces, to: try targets.path(index, "faces"))
      }
      return PictureRun.Report(
        output: try text(pictures[index].name, result, left: left), models: result.models)
    }
  }

  /// The options that do not change a line of results: by whom and how it is made, and where it goes. The models are
  /// compared by their weights.
  private static let withoutEffect: Set<String> = [
    "socket", "owner", "models", "threadsPerFrame", "precision", "protection", "decoders", "list", "results", "format",
    "annotate", "dumpInput",
  ]

  private func text(
    _ image: String, _ result: DetectionResult, left: [UInt64]
  ) throws(Status) -> String {
    switch format {
    case .text: return ResultOutput.table(image, result, left: left)
    case .csv:
      return CSV.rows(
        image, try coordinates.placed(result), names: FaceColumns.names, FaceColumns.cells)
    case .json:
      return ResultOutput.json(
        image, try coordinates.placed(result), left: left,
        mask: try coordinates.mask(inImageOf: result.imageSize),
        constellation: constellation.map {
          ShownConstellation(points: $0.points, isWithMesh: measurements.outputs.contains(.landmarks))
        }, screen: screen?.screen)
    }
  }
}
