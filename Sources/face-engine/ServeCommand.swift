import ArgumentParser
import Engine
import FaceCore
import Logging
import ModelStore
import Posix
import Service

/// `face-engine serve`
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Load a model once and serve every process of this machine that asks at a socket.",
    discussion: """
      Runs until SIGTERM or SIGINT: finishes what is running, then removes its socket. A second signal ends it at once.
      """)

  @Option(help: "Path of the socket. (default: $XDG_RUNTIME_DIR/face-engine.sock)")
  var socket: String?

  @Option(help: "The model folder to load. (default: the model that came with the engine)")
  var model: String?

  @Option(help: "Images searched at the same time, each on one processor.")
  var workers = CurrentProcess.processorCount

  @Option(help: "Least level that is logged.")
  var logLevel = LogLevel.warning

  func validate() throws {
    guard ServerConfiguration.workerRange.contains(workers) else {
      throw ValidationError("--workers \(workers) must be a number from 1 to 256.")
    }
  }

  func run() throws {
    // Before any thread exists: all of them inherit the blocked signals.
    let signals = try SignalReader()
    var configuration = ServerConfiguration(
      socket: try socket ?? SocketPath.standard().description, version: "\(EngineVersion.text)")
    configuration.workers = workers
    var logger = Logger(label: "face-engine", factory: { StreamLogHandler.standardError(label: $0) })
    logger.logLevel = logLevel.level

    let folder = try model ?? ModelCatalog.standard().standardModel.path
    let engine = try Engine(modelFolder: folder, catalog: try? ModelCatalog.standard())
    let server = try Server(configuration, detector: engine, models: engine, logger: logger)
    try server.run(signals: signals)
  }
}

/// The levels of swift-log, least severe first.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .warning }
}
