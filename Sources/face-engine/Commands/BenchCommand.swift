import ArgumentParser
import Engine
import FaceCore
import ModelStore
import Posix

/// `face-engine bench`
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure on this machine what each stage of finding faces takes.",
    discussion: """
      Loads the model itself. In every round each image is searched once, from its file's bytes to its faces; then it is \
      followed, as a video in which nothing moves. Reading files and loading models is not measured. Stages are told \
      apart inside the engine: decode a file, convert its pixels to what the network takes, run the network, decode \
      boxes, find points and what follows from them, and tracking. Times are exact to about 3 %.
      Exit code: 0 done, 1 something failed, 2 wrong usage.
      """)

  @OptionGroup var source: DetectorSource
  @OptionGroup var detection: DetectionArguments

  @Flag(
    inversion: .prefixedNo,
    help: "Find points, pose, expressions and quality of each face, for which more models are needed.")
  var points = true

  @Option(help: "How many times each image is searched.")
  var rounds = 50

  @Option(help: "How many frames of each image are followed; 0 for none.")
  var frames = 100

  @Option(help: "Rounds and frames before the first one that counts.")
  var warmUp = 5

  @Flag(
    help:
      "Count the time that all threads together had a processor: for a machine that does other things too.")
  var processorTime = false

  @Flag(help: "Print one JSON object, times in nanoseconds.")
  var json = false

  @Argument(help: "The files to search. (default: the sample photos of a checkout)")
  var images: [String] = []

  func validate() throws {
    guard source.socket == nil else {
      throw ValidationError(
        "An engine in this process is measured, not one behind a socket; leave out --socket.")
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
    let clock = BenchClock(measuresProcessor: processorTime)
    var subjects = try paths.map { path throws(Status) in
      try BenchSubject(path, file: try ImageFile.read(path), engine: engine, options: options)
    }
    let progress = Progress(total: (warmUp + rounds + (frames > 0 ? 1 : 0)) * subjects.count)
    for round in 0..<warmUp + rounds {
      for index in subjects.indices {
        progress.begin(subjects[index].path)
        try subjects[index].search(clock, counts: round >= warmUp)
      }
    }
    for index in subjects.indices where frames > 0 {
      progress.begin(subjects[index].path)
      try subjects[index].follow(clock, frames: frames, warmUp: warmUp)
    }
    progress.clear()
    let report = BenchReport(
      processor: Processor.name, processors: CurrentProcess.processorCount,
      threadsPerFrame: source.threads.threadsPerFrame,
      model: model.name, networkEngine: model.engine,
      accuracy: options.accuracy, rounds: rounds, warmUp: warmUp, frames: frames,
      isProcessorTime: processorTime, subjects: subjects)
    try StandardOutput.write((json ? BenchJSON.text(report) : BenchTable.text(report)) + "\n")
  }
}

/// The photos that are searched when none is named.
enum SamplePhotos {
  /// Those of the checkout that the models lie in. Where there are none, it is wrong usage to name none.
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
