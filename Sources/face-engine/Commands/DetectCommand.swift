import ArgumentParser
import Engine
import FaceCore
import Posix

/// `face-engine detect`
struct DetectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Find the faces in JPEG, PNG and WebP files, or in raw pixels.",
    discussion: """
      Uses the engine at --socket, or a running engine at the standard socket, or else loads the model in this process.
      Positions are pixels of the upright image from its top-left corner unless other coordinates are chosen; left and \
      right are the subject's own.
      Exit code: 0 all files done, 1 a file failed, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments
  @OptionGroup(title: "Contents of the files") var input: InputArguments
  @OptionGroup(title: "Measurements of each face (in --json)") var measurements: OutputArguments
  @Option(
    help:
      "Print the landmarks of each face as 65 or 76 points, with whether the line through a region is open or closed (in --json)."
  )
  var constellation: ConstellationArgument?

  @Option(
    help: ArgumentHelp(
      "Print where the eyes look on a screen of this size in cm, 0,0 to 1,1 from its upper left corner: WIDTHxHEIGHT[,GAP], GAP cm below the camera (in --json).",
      valueName: "size"))
  var screen: ScreenArgument?

  @OptionGroup(title: "Coordinates (in --json)") var coordinates: SpaceArguments
  @OptionGroup(title: "Tracking") var tracking: TrackingArguments

  @Flag(help: "Print one line of JSON per file.")
  var json = false

  @Option(
    help:
      "Save the picture with its faces marked as PNG; for several files, the folder to save the pictures in.")
  var annotate: String?

  @Option(
    help:
      "Save the exact input of the network as PNG, the first input if there are several, as with --accuracy high. Loads the model in this process."
  )
  var dumpInput: String?

  @Option(
    name: .customLong("box"),
    help: ArgumentHelp(
      "A face that is known already, in pixels of the upright picture; may be repeated. The measurements are made of these, and no detector runs. Takes one image.",
      valueName: "x,y,width,height"))
  var boxes: [BoxArgument] = []

  @Argument(help: "The image files.")
  var images: [String]

  func validate() throws {
    guard !images.isEmpty else { throw ValidationError("Name at least one image.") }
    if !boxes.isEmpty {
      guard images.count == 1, !tracking.track, dumpInput == nil else {
        throw ValidationError("--box takes one image, without --track and --dump-input.")
      }
      guard !measurements.outputs.isEmpty else {
        throw ValidationError("--box needs measurements to make; add --landmarks, --pose or others.")
      }
    }
    if dumpInput != nil {
      guard images.count == 1 else { throw ValidationError("--dump-input takes one image.") }
      guard source.socket == nil else {
        throw ValidationError(
          "--dump-input needs a network in this process, not one at a socket; leave out --socket."
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
    options.outputs = measurements.outputs
    options.boxes = boxes.map(\.box)
    if constellation != nil { options.outputs.insert(.landmarks) }
    if screen != nil { options.outputs.insert(.gaze) }
    let video = try tracking.track ? Video(detector, options, tracking.following.options()) : nil
    let progress = Progress(total: images.count)
    var failed = false
    for image in images {
      progress.advance(to: image)
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
            mask: try coordinates.mask(inImageOf: result.imageSize),
            constellation: constellation.map {
              ShownConstellation(
                points: $0.points, isWithMesh: measurements.outputs.contains(.landmarks))
            }, screen: screen?.screen)
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
