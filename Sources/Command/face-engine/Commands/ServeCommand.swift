import ArgumentParser
import Client
import Decoders
import Engine
import FaceCore
import Imaging
import Logging
import ModelStore
import Posix
import Service

/// `face-engine serve`
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Load models once, and serve all processes of this machine through a socket.",
    discussion: """
      On SIGTERM or SIGINT, finishes the running calls and stops; a second signal stops it at once. Removes its socket only if \
      nothing else is in the socket's folder; otherwise the next engine replaces the socket. SIGHUP reloads the models from \
      their folders; if a model cannot be loaded, the old one stays in use. --take-over replaces a running engine without a pause.

      Under systemd, it uses the socket of a socket unit, reports when it is ready, reloads or stops, and feeds the watchdog \
      while its self-test passes. The Debian package installs face-engine.service and face-engine.socket.

      Exit code: 0 stopped after answering every call, 1 it could not start or calls were left unanswered, 2 wrong usage.
      """)

  @OptionGroup(title: "Socket") var place: SocketOptions

  @Option(
    name: .customLong("model"), parsing: .singleValue,
    help: ArgumentHelp(
      "Model to load: a folder, an .onnx file, or an installed model such as centerface. May be repeated: callers choose by name, and the first is the default. "
        + "(default: the model that came with the engine)"), completion: .file())
  var models: [String] = []

  @Option(
    help:
      "How many images of one user are searched at the same time; by default, one per processor. Each further user who calls meanwhile gets an extra worker; see --limit extra-workers."
  )
  var workers = min(CurrentProcess.processorCount, ServerConfiguration.workerRange.upperBound)

  @Flag(
    help:
      "Replace the engine at the socket, if one runs: load the models, take over its socket and counters, and let it finish its calls. If that fails, the old engine keeps serving."
  )
  var takeOver = false

  @OptionGroup var network: NetworkArguments

  @Option(
    help:
      "Largest input of a network, in pixels. Each pixel takes about 15 bytes of memory with YuNet, and 110 or more with a network that the plug-in ncnn runs."
  )
  var maxInputPixels = 16_777_216

  @Option(
    help:
      "Seconds that a stopping engine waits for running calls. Then it answers them with UNAVAILABLE, and the exit code is 1."
  )
  var drainTimeout = Seconds(.seconds(10))

  @Option(
    help:
      "Seconds without a call after which the engine releases the memory of its models; 0: never. The next call loads them again, in about 0.1 s."
  )
  var idleUnload = Seconds(.zero)

  @Option(
    help:
      "Lowest level to log. Lines below error, such as those for refused calls, are limited to 50 per second."
  )
  var logLevel = LogLevel.notice

  @Flag(
    help:
      "Write a logfmt line for each call and each frame to standard output: caller, method, waiting time, run time, result, and the caller's traceparent and request id."
  )
  var accessLog = false

  @OptionGroup var protection: SandboxArguments
  @OptionGroup var decoders: DecoderArguments

  @OptionGroup(title: "Limits") var limits: LimitOptions

  /// The time that a stopping engine waits for the reader of its log.
  private static let logPatience: TimeSpan = .seconds(1)
  /// The time that one that takes over waits for a decoder.
  private static let decoderPatience: TimeSpan = .seconds(10)
  /// The time that one that takes over waits for the end of an engine that stops, beyond the time to drain.
  private static let endPatience: TimeSpan = .seconds(10)

  func validate() throws {
    guard maxInputPixels >= 1 else {
      throw ValidationError("--max-input-pixels \(maxInputPixels) must be 1 or more.")
    }
    guard ServerConfiguration.workerRange.contains(workers) else {
      throw ValidationError("--workers \(workers) must be a number from 1 to 256.")
    }
  }

  func run() throws {
    // The reader of the log may close it.
    CurrentProcess.ignoreBrokenPipes()
    // Before any thread exists, since all of them inherit the blocked signals.
    let signals = try SignalReader()
    CurrentProcess.shareFreeMemory()
    let inherited = try SocketFile.inherited()
    let isInherited = inherited != nil
    var configuration = ServerConfiguration(
      socket: try socketPath(inherited), version: "\(EngineVersion.text)")
    configuration.mode = place.socketMode.bits
    configuration.group = try place.socketGroup.map { name throws(Status) in try Account.group(name) }
    configuration.access = try place.access()
    configuration.workers = workers
    configuration.limits = limits.limits(memory: ControlGroups.memoryLimit)
    configuration.memory = MemoryBudget(
      byteCount: configuration.limits.decodedBytes, mostWaiting: MemoryBudget.mostWaiting)
    configuration.drainTimeout = drainTimeout.span
    configuration.idleTime = idleUnload.span
    configuration.manager = ServiceManager()
    if let watchdog = configuration.manager?.watchdog {
      // Two tests per watchdog period, as sd_watchdog_enabled(3) recommends.
      configuration.selfTestInterval = min(configuration.selfTestInterval, max(.nanoseconds(1), watchdog / 2))
    }
    let folders = try Engine.modelFolders(models)
    let catalog = try? ModelCatalog.standard()
    guard !takeOver || !isInherited else {
      throw Status(
        .invalidArgument,
        "the service manager passes the socket, so --take-over cannot be used; leave it out and restart the service"
      )
    }
    var predecessor: Predecessor?
    var counters = EngineCounters()
    // Now, so that the sandbox need not allow it, and a second engine fails before it reads a model.
    var file = try inherited ?? socketFile(configuration, &predecessor, &counters)
    let decoders = try decoders.start(protection, isService: true)
    configuration.decoders = decoders
    // In the sandbox it maps nothing to be executed.
    Engine.openPlugins()
    try Engine.openPlugin(of: network.engine)
    configuration.countAbandonedDecodings = { AbandonedDecodings.count }
    let held = protection.enter { [configuration] () -> Sandbox in
      // What decodes pictures loads their libraries.
      var sandbox = Sandbox(needs: [.server, configuration.decoders == nil ? .libraries : .decoders])
      if configuration.manager != nil { sandbox.needs.insert(.notices) }
      for path in Engine.modelPaths(folders, catalog: catalog) { sandbox.allow(.read, path) }
      // Elsewhere the file stays, and the next engine replaces it: the right to remove it would be one to remove
      // the files of others.
      if !isInherited, SocketFile.hasFolderOfItsOwn(configuration.socket) {
        sandbox.allow(.remove, configuration.socket.parentFolder)
      }
      return sandbox
    }
    configuration.sandbox = held.names

    let log = try LogWriter(label: "face-engine")
    defer { log.finish(within: Self.logPatience) }
    if accessLog {
      configuration.accessLog = try AccessLog { text in _ = try? StandardOutput.write(text) }
    }
    defer { configuration.accessLog?.finish(within: Self.logPatience) }
    var logger = Logger(label: log.label, factory: { _ in LineLogHandler(log) })
    logger.logLevel = logLevel.level

    protection.log(held, to: logger)

    let engine = try Engine(
      modelFolders: folders, catalog: catalog, maxInputPixels: maxInputPixels,
      threadsPerFrame: network.threads, precision: network.precision, runtime: network.engine)
    var succession: Succession?
    if let found = predecessor {
      predecessor = nil
      // Last, since any step before may fail without affecting the running engine.
      try decoders?.test(CancellationToken(timeout: Self.decoderPatience))
      while let signal = signals.next() {
        guard signal == .hangup else { return logger.notice("stopped before it took over") }
      }
      succession = try Self.begin(found, &counters, &file)
    }
    let server = try Server(
      configuration, detector: engine, models: engine, logger: logger, file: file, succession: succession)
    // Workers that are still busy must neither delay the exit nor see the process being torn down.
    if try !server.run(signals: signals) {
      configuration.accessLog?.finish(within: Self.logPatience)
      log.finish(within: Self.logPatience)
      CurrentProcess.exitAtOnce(1)
    }
  }

  /// The socket to listen at: a new one, or with `--take-over` that of a running engine, if there is one.
  private func socketFile(
    _ configuration: ServerConfiguration, _ predecessor: inout Predecessor?, _ counters: inout EngineCounters
  ) throws(Status) -> SocketFile {
    let claim = { () throws(Status) in
      try SocketFile.claim(
        SocketPath(configuration.socket), mode: configuration.mode, group: configuration.group)
    }
    guard takeOver else { return try claim() }
    return try Predecessor.socketFile(
      at: configuration.socket, until: .deadline(after: drainTimeout.span + Self.endPatience), &predecessor,
      &counters, orClaim: claim)
  }

  /// Begins to serve in place of a running engine, or of one that has ended since this process prepared.
  private static func begin(
    _ predecessor: Predecessor, _ counters: inout EngineCounters, _ file: inout SocketFile
  ) throws(Status) -> Succession {
    do throws(Status) {
      try predecessor.begin(&counters)
    } catch {
      guard error.code == .unavailable else { throw error }
      file.setOwned(true)
      return Succession(counters: counters, predecessor: nil)
    }
    return Succession(
      counters: counters,
      predecessor: Succession.Predecessor(
        awaitEnd: { () throws(Status) in try predecessor.waitForEnd() }, release: { predecessor.release() }))
  }

  private func socketPath(_ inherited: borrowing SocketFile?) throws -> String {
    let path: String
    switch inherited {
    case .some(let file): path = file.path.description
    case nil: return try place.socket ?? SocketPath.standard().description
    }
    guard place.socket == nil || place.socket == path else {
      throw Status(
        .invalidArgument, "the service manager listens at \(path); leave --socket out, or give the same path")
    }
    return path
  }
}

/// The levels of swift-log, least severe first.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .notice }
}
