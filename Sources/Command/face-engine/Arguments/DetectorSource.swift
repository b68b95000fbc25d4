public import ArgumentParser
import Client
import Engine
public import FaceCore
import ModelStore
import Posix

/// The engine that a command uses: one at a socket, or one in this process with its own models.
struct DetectorSource: ParsableArguments {
  @Option(name: [.long, .customLong("through")], help: "Use the engine at this socket.", completion: .file())
  var socket: String?

  @OptionGroup var owner: EngineUserArgument

  @Option(
    name: .customLong("model"), parsing: .singleValue,
    help:
      "Load this model instead of using a running engine: a folder, an .onnx file, or an installed model such as centerface. May be repeated: the first model is used unless --use names another.",
    completion: .file()
  )
  var models: [String] = []

  @OptionGroup var network: NetworkArguments
  @OptionGroup var protection: SandboxArguments
  @OptionGroup var decoders: DecoderArguments

  func validate() throws {
    guard socket == nil || models.isEmpty else {
      throw ValidationError(
        "--socket and --model exclude each other: the engine at a socket has its own models.")
    }
  }

  /// Connects to or loads an engine. In between, the process enters the sandbox: there is only one thread, and
  /// of pictures only what tells their kind has been read.
  func open(_ sandbox: Sandbox) throws(Status) -> any StreamingDetector {
    var sandbox = sandbox
    // Before there is a connection, which may have a thread.
    try CommandDecoder.start(decoders, protection, &sandbox)
    guard let client = try connected() else { return try load(sandbox) }
    sandbox.needs.insert(.client)
    _ = protection.enter { [sandbox] in sandbox }
    return client
  }

  /// How long to wait for an engine at a standard socket, which may be stopped, or in a debugger.
  private static let patience: TimeSpan = .seconds(3)

  /// Connects to the engine at --socket, or at a standard socket if one runs there; `nil` if models are to be
  /// loaded.
  private func connected() throws(Status) -> Client? {
    let options = try owner.options()
    if let socket { return try Client(socket: socket, options: options) }
    guard models.isEmpty, let path = try? SocketPath.ofClients() else { return nil }
    do throws(Status) {
      return try Client(socket: path.description, options: options, connectingWithin: Self.patience)
    } catch {
      if error.code == .deadlineExceeded {
        StandardError.write(
          "face-engine: the engine at \(path) does not answer; loading the model here. To use that engine, restart it; to skip it, "
            + "set --model.\n")
      }
      return nil
    }
  }

  /// Loads the models in this process after it has entered the sandbox.
  /// - Parameter sandbox: the sandbox; `nil` for a process that reads no untrusted data.
  func load(_ sandbox: Sandbox? = nil) throws(Status) -> Engine {
    let folders = try Engine.modelFolders(models)
    // In the sandbox its library, and that of onnxruntime, may be out of reach.
    try Engine.openPlugin(of: network.engine)
    if var sandbox {
      try CommandDecoder.start(decoders, protection, &sandbox)
      let models = Engine.modelPaths(folders, catalog: try? .standard())
      for path in models + Engine.pluginFolders { sandbox.allow(.read, path) }
      _ = protection.enter { sandbox }
    }
    return try Engine(
      modelFolders: folders, threadsPerFrame: network.threads, precision: network.precision,
      runtime: network.engine)
  }
}

extension FaceDetector {
  /// Finds the faces, with the five points as exact as possible: those of the mesh if its models are
  /// installed. A detector's points hardly follow a tilted head.
  func detectWithExactPoints(
    _ image: ImageInput, options: DetectionOptions, also outputs: FaceOutputs = []
  ) throws(Status) -> DetectionResult {
    var exact = options
    exact.outputs.formUnion(outputs.union(.landmarks))
    do throws(Status) {
      return try detect(image, options: exact)
    } catch  where error.code == .notFound {
      // Without the mesh models. Any other `notFound` error is thrown again by this call.
      return try detect(image, options: options)
    }
  }
}

/// The settings for running the networks of a command's models.
struct NetworkArguments: ParsableArguments {
  @Option(
    help:
      "Threads that share the work on one image, 1 to 16. More threads make each image faster, but fewer images run at the same time. auto: one per processor core. The engine never uses more threads than cores."
  )
  var threadsPerFrame = RequestedThreads.number(1)

  @Option(help: "Number format in which detectors compute.")
  var precision = Precision.best

  @Option(
    help: ArgumentHelp(
      "Runtime for the networks of detectors: kernels (built in), ncnn, onnxruntime (for .onnx files), onnxruntime:PROVIDER, as in onnxruntime:CUDA, or another plug-in. automatic: kernels, or ncnn for networks that they cannot run.",
      valueName: "engine"))
  var engine = NetworkRuntime.automatic

  func validate() throws {
    if case .number(let number) = threadsPerFrame, !(1...16).contains(number) {
      throw ValidationError("--threads-per-frame \(number) must be a number from 1 to 16, or auto.")
    }
  }

  /// The number of threads that share the work on one image.
  var threads: Int {
    switch threadsPerFrame {
    case .onePerCore: ProcessorTopology.threadsPerFrame(0)
    case .number(let number): ProcessorTopology.threadsPerFrame(number)
    }
  }
}

/// How many threads are wanted: a number, or as many as there are cores.
enum RequestedThreads: ExpressibleByArgument {
  case onePerCore
  case number(Int)

  init?(argument: String) {
    if argument == "auto" {
      self = .onePerCore
    } else if let number = Int(argument) {
      self = .number(number)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String {
    switch self {
    case .onePerCore: "auto"
    case .number(let number): "\(number)"
    }
  }
}

extension NetworkRuntime: ExpressibleByArgument {
  public init?(argument: String) {
    guard let engine = try? NetworkRuntime(argument) else { return nil }
    self = engine
  }

  public var defaultValueDescription: String { NetworkRuntime.automaticName }

  public static var defaultCompletionKind: CompletionKind {
    .list([automaticName, "kernels", "ncnn", "onnxruntime"])
  }
}

extension Precision: ExpressibleByArgument {
  public static var allValueDescriptions: [String: String] {
    [
      Precision.best.rawValue: "eight bits if the model has them (several times as fast), else floats",
      Precision.float.rawValue: "32-bit floats",
    ]
  }
}
