import ArgumentParser
import Client
import Engine
import FaceCore
import ModelStore
import Posix

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
