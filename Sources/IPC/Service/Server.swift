public import FaceCore
public import Logging
public import Posix
import Synchronization

/// How an engine process serves.
public struct ServerConfiguration: Sendable {
  /// Path of the socket.
  public var socket: String
  /// Permissions of the socket file; its folder's count as well.
  public var mode: UInt32 = 0o660
  /// Group of the socket file; `nil` for the process's own.
  public var group: UInt32?
  /// Users and groups that may call; others are refused and closed.
  public var access = AccessList()
  /// The service manager that started the process.
  public var manager: ServiceManager?
  /// Nanoseconds from one self-test to the next.
  public var selfTestInterval: Int64 = 10_000_000_000
  /// Nanoseconds without a call after which the models' memory is released until the next one; 0: never.
  public var idleTime: Int64 = 0
  /// Nanoseconds that a call may run before its worker counts as stuck. While as many are as one user may have, the engine is
  /// said not to serve, and the service manager's watchdog is not fed.
  public var stuckTime: Int64 = 30_000_000_000
  /// Detections of one user that run at a time; one more runs for other users.
  public var workers = 2
  public static let workerRange = 1...256
  public var limits = EngineLimits()
  /// Nanoseconds that a stopping engine waits for calls and for peers that read slowly.
  public var drainTimeout: Int64 = 10_000_000_000
  /// Where each call gets a line.
  public var accessLog: AccessLog?
  /// What the process has forbidden itself, for Info.
  public var sandbox: [String] = []
  /// Semantic version of the engine, for Info.
  public var version: String

  public init(socket: String, version: String) {
    self.socket = socket
    self.version = version
  }
}

/// What a server has from the one whose place it takes.
public struct Succession: Sendable {
  let counters: EngineCounters
  let awaitEnd: @Sendable () -> EngineCounters?

  /// - Parameters:
  ///   - counters: what the other one has counted so far.
  ///   - awaitEnd: waits until the other one has finished what it had, and returns what it has counted then; `nil` when that
  ///     cannot be known. Called once, on a thread of its own.
  package init(counters: EngineCounters, awaitEnd: @escaping @Sendable () -> EngineCounters?) {
    self.counters = counters
    self.awaitEnd = awaitEnd
  }
}

/// Serves a detector and its models at a Unix socket.
///
/// `init` claims the socket, so that a second engine fails before a model is used; `run` serves until stopped. Peers that
/// connect in between wait.
public final class Server: Sendable {
  private let configuration: ServerConfiguration
  private let accounts: UserAccounts
  private let service: DetectorService
  private let mailbox: Mailbox
  private let logger: Logger
  private let file: Mutex<SocketFile?>
  private let succession: Succession?

  /// Throws `alreadyExists` while another engine runs at that socket, `invalidArgument` for a wrong configuration,
  /// and what the system says when the socket cannot be made.
  /// - Parameters:
  ///   - detector: called by `workers` threads at once.
  ///   - models: for Health and Info; none loaded means not serving.
  ///   - file: a socket to listen at instead of claiming the configured one.
  ///   - succession: of the engine that listened at it before.
  public init(
    _ configuration: ServerConfiguration, detector: any FaceDetector, models: any ModelProvider,
    logger: Logger, file: consuming SocketFile? = nil, succession: Succession? = nil
  ) throws(Status) {
    guard ServerConfiguration.workerRange.contains(configuration.workers) else {
      throw Status(.invalidArgument, "the number of workers is \(configuration.workers); give 1 to 256")
    }
    guard configuration.selfTestInterval > 0, configuration.stuckTime > 0, configuration.drainTimeout >= 0,
      configuration.idleTime >= 0
    else {
      throw Status(.invalidArgument, "a time is negative; give a positive one")
    }
    try configuration.limits.validate()
    self.configuration = configuration
    self.logger = logger
    self.succession = succession
    accounts = UserAccounts(configuration.limits)
    service = DetectorService(
      detector: detector, models: models, version: configuration.version, limits: configuration.limits,
      drainTimeout: configuration.drainTimeout, sandbox: configuration.sandbox,
      statistics: Statistics(accounts, workers: configuration.workers + 1))
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
  /// What was accepted by then is finished and answered, within the drain timeout; then the socket is removed. A worker
  /// that still runs then is left behind, so the process should end soon. Runs once. Throws when the system no longer lets it serve.
  /// - Returns: whether everything was answered.
  @discardableResult
  public func run(signals: consuming SignalReader? = nil) throws(Status) -> Bool {
    guard let file = file.withLock({ $0.take() }) else {
      throw Status(.failedPrecondition, "this server has run already; make another one")
    }
    let callHandler = CallHandler(service: service)
    let scheduler = JobScheduler(capacity: configuration.workers, accounts: accounts)
    service.health.test()
    let stuckTime = configuration.stuckTime
    let healthMonitor = HealthMonitor(
      service: service, interval: configuration.selfTestInterval, idleTime: configuration.idleTime,
      findIdle: { scheduler.idleSince },
      findStuck: {
        guard scheduler.busyTime(at: .now()) >= stuckTime else { return nil }
        return Status(
          .unavailable,
          "\(scheduler.capacity) workers, all that one user may have, have been at one call each for more than "
            + "\(stuckTime / 1_000_000_000) s")
      },
      notify: { [mailbox] in mailbox.post($0) })
    let healthThread = try healthMonitor.start()
    defer {
      healthMonitor.stop()
      healthThread.join()
    }
    try SharedMemory.startReleaser()
    let connections = try ConnectionManager(
      limits: configuration.limits, access: configuration.access, callHandler: callHandler,
      scheduler: scheduler, accounts: accounts, logger: logger,
      accessLog: configuration.accessLog, firstConnection: succession?.counters.nextConnection ?? 0)
    let loop = try EventLoop(
      file: file, signals: signals, mailbox: mailbox, connections: connections,
      healthMonitor: healthMonitor, configuration: configuration, logger: logger)
    loop.open()
    let handover = try succession.map { [statistics = service.statistics] succession throws(Status) in
      try Thread(name: "face-handover") {
        let counted = succession.awaitEnd()
        loop.ownSocketFile()
        guard var counters = counted else { return }
        // The time in which both ran counts once.
        counters.uptime = succession.counters.uptime
        statistics.inherit(counters)
      }
    }
    // An engine that is still finishing would serve on if this one went before.
    defer { handover?.join() }
    defer { loop.close() }
    let outcome = Monitor<Result<Bool, Status>?>(nil)
    let ended = Condition()
    let workers = try WorkerPool(scheduler: scheduler, loop: loop, callHandler: callHandler).start {
      result in
      outcome.withLock { $0 = result }
      ended.wakeAll()
    }
    let result = outcome.wait(for: ended) { $0 }
    scheduler.stop()
    // What still runs after the time to drain is not waited for.
    if result != .success(false) { for worker in workers { worker.join() } }
    return try result?.get() ?? false
  }

  /// Lets `run` return when what was accepted is finished. From any thread, any number of times.
  public func stop() {
    mailbox.requestStop()
  }
}

/// Users and groups that may call. When both are empty, the permissions of the socket decide alone.
public struct AccessList: Equatable, Sendable {
  public var users: Set<UInt32>
  public var groups: Set<UInt32>

  public init(users: Set<UInt32> = [], groups: Set<UInt32> = []) {
    self.users = users
    self.groups = groups
  }

  /// - Parameter peerGroups: every group of the peer.
  package func admits(user: UInt32, groups peerGroups: [UInt32]) -> Bool {
    users.isEmpty && groups.isEmpty || users.contains(user) || !groups.isDisjoint(with: peerGroups)
  }
}

extension Peer {
  /// Whether this peer may change what an engine process of `owner` does: root and that owner, who could stop it anyway, may.
  package func mayAdminister(processOf owner: UInt32) -> Bool {
    user == 0 || user == owner
  }
}
