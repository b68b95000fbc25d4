import ArgumentParser
import CallerOptions
import Engine
import FaceCore
import ModelStore
import Posix

/// `face-engine bench`
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure how long each stage of face detection takes on this machine.",
    discussion: """
      Always loads the model in this process and refuses --socket. Each round searches every image once, from the bytes of \
      its file to its faces. After the rounds, each image is tracked like a video without motion. Reading files and loading \
      models are not measured.

      The stages are: decode the file, convert its pixels to the network's input, run the network, decode boxes, find points \
      and measure the face from them, track. Each round also searches for boxes only, then adds points and pose, then \
      expressions, to show the cost of each per face (not with --no-points). Times are accurate to about 3 %.

      Exit code: 0 done, 1 something failed, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments

  @Flag(
    inversion: .prefixedNo,
    help: "Also measure points, pose, expressions and quality of each face. Needs further models.")
  var points = true

  @Option(help: "Number of times to search each image.")
  var rounds = 50

  @Option(help: "Number of frames to track each image for; 0 to skip tracking.")
  var frames = 100

  @Option(help: "Number of rounds and frames to run before the measurement starts.")
  var warmUp = 5

  @Flag(
    help:
      "Measure the processor time of all threads instead of elapsed time, for a busy machine.")
  var processorTime = false

  @Flag(help: "Print one JSON object, times in nanoseconds.")
  var json = false

  @Argument(help: "Image files. (default: the sample photos of the source tree)", completion: .file())
  var images: [String] = []

  func validate() throws {
    guard source.socket == nil else {
      throw ValidationError(
        "bench measures an engine in this process, not one at a socket; leave out --socket.")
    }
    guard (1...BenchCommand.maxRepetitions).contains(rounds) else {
      throw ValidationError("--rounds \(rounds) must be a number from 1 to \(BenchCommand.maxRepetitions).")
    }
    for (name, number) in [("--frames", frames), ("--warm-up", warmUp)] {
      guard (0...BenchCommand.maxRepetitions).contains(number) else {
        throw ValidationError("\(name) \(number) must be a number from 0 to \(BenchCommand.maxRepetitions).")
      }
    }
  }

  private static let maxRepetitions = 1_000_000

  func run() throws {
    let paths = try images.isEmpty ? SamplePhotos.paths() : images
    var options = try detection.options()
    options.outputs = points ? .all : []
    let engine = try source.load()
    let model = try engine.model(named: options.model)
    let clock = BenchClock(measuresProcessorTime: processorTime)
    var subjects = try paths.map { path throws(Status) in
      try BenchSubject(path, file: try ImageFile.read(path), engine: engine, options: options)
    }
    let progress = Progress(total: (warmUp + rounds + (frames > 0 ? 1 : 0)) * subjects.count)
    for round in 0..<warmUp + rounds {
      for index in subjects.indices {
        try subjects[index].search(clock, counts: round >= warmUp)
        if points { try subjects[index].compareCosts(clock, counts: round >= warmUp) }
        progress.advance()
      }
    }
    for index in subjects.indices where frames > 0 {
      try subjects[index].track(clock, frames: frames, warmUp: warmUp)
      progress.advance()
    }
    progress.clear()
    let report = BenchReport(
      processor: Processor.name, processors: CurrentProcess.processorCount,
      threadsPerFrame: source.network.threads,
      model: model.name, networkEngine: model.engine,
      accuracy: options.accuracy, rounds: rounds, warmUp: warmUp, frames: frames,
      isProcessorTime: processorTime, subjects: subjects)
    try StandardOutput.write((json ? BenchJSON.text(report) : BenchTable.text(report)) + "\n")
  }
}

/// Finds the photos that are searched if no image is named.
enum SamplePhotos {
  /// The photos of the source tree that has the models. Throws a validation error if there are none.
  static func paths() throws -> [String] {
    let folder = (try? ModelCatalog.standard()).flatMap {
      FileSystem.resolved("\($0.path)/../Examples/photos")
    }
    let names = folder.flatMap { try? FileSystem.names(in: $0) } ?? []
    let photos = names.filter { name in [".jpg", ".png", ".webp"].contains(where: name.hasSuffix) }
    guard let folder, !photos.isEmpty else {
      throw ValidationError("There are no sample photos here; name at least one image.")
    }
    return photos.map { "\(folder)/\($0)" }
  }
}
