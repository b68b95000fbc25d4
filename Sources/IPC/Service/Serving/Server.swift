public import FaceCore
public import Logging
public import Posix
import Synchronization

/// The settings of an engine process.
public struct ServerConfiguration: Sendable {
  /// The path of the socket.
  public var socket: String
  /// The permissions of the socket file; those of its folder apply as well.
  public var mode: UInt32 = 0o660
  /// The group of the socket file; `nil` for the process's own.
  public var group: UInt32?
  /// The users and groups that may call; others are refused and disconnected.
  public var access = AccessList()
  /// The service manager that started the process.
  public var manager: ServiceManager?
  public var selfTestInterval: TimeSpan = .seconds(10)
  /// The time without a call after which the models' memory is released until the next one; 0 for never.
  public var idleTime: TimeSpan = .zero
  /// The time without a call after which the memory that is kept for calls is freed.
  public var pause: TimeSpan = .seconds(3)
  /// The time after which the worker of a call that has not asked whether to go on counts as stuck. While
  /// one user's maximum number of workers is stuck, the engine reports that it does not serve, and does not
  /// feed the service manager's watchdog.
  public var stuckTime: TimeSpan = .seconds(30)
  /// The time that a call may run after its caller has stopped waiting, before its worker counts as stuck
  /// for the engine's health, though not for the watchdog.
  public var abandonedTime: TimeSpan = .seconds(2)
  /// The number of one user's detections that run at a time; further users have further workers, see
  /// `EngineLimits.extraWorkers`.
  public var workers = 2
  public static let workerRange = 1...256
  public var limits = EngineLimits()
  /// The time that a stopping engine waits for calls and slow readers.
  public var drainTimeout: TimeSpan = .seconds(10)
  /// The log with a line for each call.
  public var accessLog: AccessLog?
  /// The restrictions that the process has put on itself, for Info.
  public var sandbox: [String] = []
  /// Decode the files of calls; `nil`: the workers do.
  public var decoders: (any FileDecoders)?
  public var memory = MemoryBudget.ofProcess
  /// Returns how many pictures are decoded now for no call.
  public var countAbandonedDecodings: @Sendable () -> Int = { 0 }
  /// The engine's semantic version, for Info.
  public var version: String

  public init(socket: String, version: String) {
    self.socket = socket
    self.version = version
  }
}

/// The state that a server takes over from the one whose place it takes.
public struct Succession: Sendable {
  /// The other server, while it finishes its calls.
  package final class Predecessor: Sendable {
    private struct Steps: Sendable {
      let awaitEnd: @Sendable () throws(Status) -> EngineCounters?
      let release: @Sendable () -> Void
    }

    /// `nil` once it has ended: the steps hold its connection.
    private let steps: Mutex<Steps?>

    /// - Parameters:
    ///   - awaitEnd: waits until the other server has finished its calls, and returns its final counters; `nil` if it
    ///     ended without sending them. Throws if it keeps serving, so that this one must end. Called once, on a thread
    ///     of its own, when this one serves.
    ///   - release: makes the other server resume serving, unless it has ended. Called on any thread.
    package init(
      awaitEnd: @escaping @Sendable () throws(Status) -> EngineCounters?,
      release: @escaping @Sendable () -> Void
    ) {
      steps = Mutex(Steps(awaitEnd: awaitEnd, release: release))
    }

    func awaitEnd() throws(Status) -> EngineCounters? {
      let steps = steps.withLock { $0 }
      defer { self.steps.withLock { $0 = nil } }
      return try steps?.awaitEnd()
    }

    func release() { steps.withLock { $0 }?.release() }
  }

  let counters: EngineCounters
  let predecessor: Predecessor?

  /// - Parameters:
  ///   - counters: the other server's counters so far.
  ///   - predecessor: `nil` if it has ended.
  package init(counters: EngineCounters, predecessor: Predecessor?) {
    (self.counters, self.predecessor) = (counters, predecessor)
  }
}

/// Serves a detector and its models at a Unix socket.
///
/// `init` claims the socket, so that a second engine fails before a model is used; `run` serves until
/// stopped. Peers that connect in between wait.
public final class Server: Sendable {
  private let configuration: ServerConfiguration
  private let accounts: UserAccounts
  private let workers: WorkerPool
  private let service: DetectorService
  private let mailbox: Mailbox
  private let logger: Logger
  private let file: Mutex<SocketFile?>
  private let succession: Succession?

  /// Throws `alreadyExists` while another engine runs at that socket, `invalidArgument` for a wrong
  /// configuration, and the system's error if the socket cannot be made.
  /// - Parameters:
  ///   - detector: called by several threads at once.
  ///   - models: the models for Health and Info; if none is loaded, the engine is not serving.
  ///   - file: a socket to listen at instead of claiming the configured one.
  ///   - succession: the state of the engine that listened at it before.
  public init(
    _ configuration: ServerConfiguration, detector: any FaceDetector, models: any ModelProvider,
    logger: Logger, file: consuming SocketFile? = nil, succession: Succession? = nil
  ) throws(Status) {
    guard ServerConfiguration.workerRange.contains(configuration.workers) else {
      throw Status(.invalidArgument, "the number of workers is \(configuration.workers); give 1 to 256")
    }
    guard configuration.selfTestInterval > .zero, configuration.stuckTime > .zero,
      configuration.abandonedTime > .zero,
      configuration.drainTimeout >= .zero, configuration.idleTime >= .zero
    else {
      throw Status(.invalidArgument, "a time is negative; give a positive one")
    }
    try configuration.limits.validate()
    self.configuration = configuration
    self.logger = logger
    self.succession = succession
    accounts = UserAccounts(configuration.limits)
    let workers = WorkerPool(
      capacity: configuration.workers, extra: configuration.limits.extraWorkers, accounts: accounts,
      stuckTime: configuration.stuckTime, abandonedTime: configuration.abandonedTime)
    self.workers = workers
    service = DetectorService(
      detector: detector, models: models, version: configuration.version, limits: configuration.limits,
      drainTimeout: configuration.drainTimeout, sandbox: configuration.sandbox,
      statistics: Statistics(
        accounts, decoders: configuration.decoders,
        countAbandonedDecodings: configuration.countAbandonedDecodings),
      decoders: configuration.decoders,
      memory: configuration.memory,
      isBlocked: { [configuration] in
        workers.timeWhenStuck.isPast || configuration.decoders?.failure != nil
      })
    // One of them waits for the connections.
    service.statistics.workers.add(workers.permanentWorkers.count - 1)
    if let succession { service.statistics.inherit(succession.counters) }
    mailbox = try Mailbox()
    if let file {
      self.file = Mutex(file)
    } else {
      let path = try SocketPath(configuration.socket)
      self.file = Mutex(try SocketFile.claim(path, mode: configuration.mode, group: configuration.group))
    }
  }

  /// Serves on the calling thread until `stop` is called or a signal comes; a second signal ends it at once.
  ///
  /// Calls accepted by then are finished and answered within the drain timeout; then the socket is removed. A
  /// worker that still runs then is left behind, so the process should end soon. Runs once. Throws if the
  /// system no longer lets it serve.
  /// - Returns: whether everything was answered, and nothing is left behind.
  @discardableResult
  public func run(signals: consuming SignalReader? = nil) throws(Status) -> Bool {
    guard let file = file.withLock({ $0.take() }) else {
      throw Status(.failedPrecondition, "this server has run already; make another one")
    }
    let callHandler = CallHandler(service: service)
    try configuration.decoders?.watch { [logger, mailbox] event in
      switch event {
      case .lost(let kind, let user, let end):
        logger.warning(
          "a decoder ended while it read a picture",
          metadata: ["kind": "\(kind.name)", "uid": "\(user)", "end": "\(end)"])
      case .replaced:
        logger.warning(
          "a process that starts decoders ended or did not answer; another one replaces it")
      case .failureChanged: mailbox.wake()
      case .ended: mailbox.post { $0.end = "all processes that start decoders have ended" }
      }
    }
    service.health.test()
    let stuckTime = configuration.stuckTime
    let healthMonitor = HealthMonitor(
      service: service, interval: configuration.selfTestInterval, idleTime: configuration.idleTime,
      pause: configuration.pause,
      findIdle: { [workers] in workers.idleSince },
      findStuck: { [workers, configuration] in
        configuration.decoders?.probe()
        guard configuration.countAbandonedDecodings() < ImageLimits.maxAbandonedDecodings else {
          return Status(
            .unavailable,
            "pictures are still being decoded for calls that have ended, and others of their kind wait")
        }
        guard workers.hasLongStuck else { return nil }
        return Status(
          .unavailable,
          "all \(workers.capacity) workers that one user may have run calls that could not be interrupted "
            + "for more than \(stuckTime / .seconds(1)) s")
      },
      notify: { [mailbox] report in mailbox.post { $0.add(report) } })
    try healthMonitor.start()
    defer { healthMonitor.stop() }
    try SharedMemory.startReleaser()
    let connections = ConnectionManager(
      limits: configuration.limits, access: configuration.access, callHandler: callHandler, queue: workers,
      accounts: accounts, logger: logger, accessLog: configuration.accessLog,
      firstConnection: succession?.counters.nextConnection ?? 0,
      isSocketFolder: { [path = file.path] in SocketFile.isFolder($0, of: path) })
    connections.hasPredecessor = succession?.predecessor != nil
    let loop = try EventLoop(
      file: file, signals: signals, mailbox: mailbox, connections: connections,
      healthMonitor: healthMonitor, configuration: configuration, logger: logger)
    let models = service.models.models.map(\.name).joined(separator: ",")
    logger.notice(
      "serving",
      metadata: [
        "models": "\(models)", "socket": "\(configuration.socket)", "version": "\(configuration.version)",
      ])
    loop.withLifecycle { $0.open() }
    var handover: Handover?
    if let succession, let predecessor = succession.predecessor {
      handover = try Handover(
        predecessor, uptime: succession.counters.uptime, loop, mailbox, service.statistics)
    }
    defer { loop.withLifecycle { $0.releaseSocket() } }
    // If this engine ended first, one that is still finishing would resume serving.
    defer { handover?.wait() }
    defer { loop.withLifecycle { $0.close() } }
    let outcome = Monitor<Result<Bool, Status>?>(nil)
    let ended = Condition()
    let duty = WorkerPool.Duty(loop: loop, callHandler: callHandler, logger: logger) { result in
      outcome.withLock { $0 = result }
      ended.wakeAll()
    }
    try workers.start(duty)
    if handover != nil, let failure = configuration.decoders?.failure {
      mailbox.post { $0.end = "this engine cannot take over: \(failure.message)" }
    } else {
      handover?.complete()
    }
    let result = outcome.wait(for: ended) { $0 }
    if loop.withLifecycle(\.isLost) || (try? result?.get()) == nil { handover?.cancel() }
    workers.stop()
    // Workers that still run after the time to drain are not waited for.
    if result != .success(false) { workers.join() }
    healthMonitor.stop()
    let isTested = healthMonitor.waitForEnd(
      until: MonotonicTime.now() + Self.selfTestPatience)
    return try result?.get() == true && isTested
  }

  /// The time that an engine that ends waits for a self-test, which takes seconds under emulation.
  private static let selfTestPatience: TimeSpan = .seconds(10)

  /// Makes `run` return when accepted calls are finished. From any thread, any number of times.
  public func stop() {
    mailbox.post { $0.stop = true }
  }
}
