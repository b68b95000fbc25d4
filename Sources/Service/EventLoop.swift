import FaceCore
import Logging
import Posix
import Wire

/// Waits for everything at once and never for anything in particular.
///
/// One thread at a time waits, in `poll`; a thread that has done a call hands in its answer, with `deliver`. All else
/// is touched only under `lock`, which nobody holds for longer than it takes to read or write what a socket holds.
///
/// Here is when things happen; what happens to a peer is in `EventLoop+Connections`, to its calls in
/// `EventLoop+Calls`.
final class EventLoop: @unchecked Sendable {
  private static let mailboxToken: UInt64 = 1
  private static let signalToken: UInt64 = 2
  private static let firstConnection: UInt64 = 16

  let configuration: ServerConfiguration
  let pool: WorkerPool
  let callHandler: CallHandler
  let statistics: Statistics
  let logger: Logger
  /// Around everything that changes, connections among it.
  private let lock = Monitor(())
  private let mailbox: Mailbox
  private let signals: SignalReader?
  let poller: Poller
  /// `nil` when all is over.
  private var listener: Listener?
  let healthMonitor: HealthMonitor
  /// What was wrong at the last self-test.
  var selfTestFailure: Status?
  /// What those who watch it know.
  var toldHealth: ServingStatus

  var connections: [UInt64: Connection] = [:]
  var nextConnection = firstConnection
  var admission: Admission
  /// Of lines about calls, and of those about connections: the many of one kind hide none of the other.
  var callLines = LogRateLimiter(linesPerSecond: 20)
  var connectionLines = LogRateLimiter(linesPerSecond: 20)
  /// Connections that must speak, or read what they are owed before they are closed, until some moment; in its order.
  var handshakeDeadlines = Fifo<(id: UInt64, until: MonotonicTime)>()
  /// Calls that a worker has or will have, and streams.
  var callsInFlight = 0
  /// Bytes of frames that wait in their streams.
  var waitingBytes: FairShareQuota
  var nextSerial: UInt64 = 0
  let mapped: MappedMemory
  /// When the thread that waits looks up by itself.
  private var waitingUntil = MonotonicTime.never
  /// When a stopping engine gives up waiting; `nil` while it is not stopping.
  private(set) var drainDeadline: MonotonicTime?
  /// Where everything small is received, of all connections.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  init(
    file: consuming SocketFile, signals: consuming SignalReader?, mailbox: Mailbox, pool: WorkerPool,
    healthMonitor: HealthMonitor, callHandler: CallHandler, configuration: ServerConfiguration, logger: Logger
  ) throws(Status) {
    self.configuration = configuration
    self.mailbox = mailbox
    self.pool = pool
    self.callHandler = callHandler
    self.healthMonitor = healthMonitor
    toldHealth = callHandler.service.health.status
    statistics = callHandler.service.statistics
    self.logger = logger
    admission = Admission(configuration.limits)
    waitingBytes = FairShareQuota("queued_bytes", limit: configuration.limits.queuedBytes)
    mapped = MappedMemory(limit: configuration.limits.mappedBytesPerUser, statistics: statistics)
    poller = try Poller()
    listener = try Listener(file, poller: poller)
    try poller.add(mailbox.wakeup, token: Self.mailboxToken, for: .read)
    self.signals = signals
    switch self.signals {
    case .some(let reader): try poller.add(reader, token: Self.signalToken, for: .read)
    case nil: break
    }
  }

  deinit {
    scratch.deallocate()
  }

  /// Tells the world that calls are served from now on.
  func begin() {
    logger.info("serving", metadata: ["socket": "\(configuration.socket)"])
    configuration.manager?.tell(.ready)
  }

  /// Waits for what comes first and handles it. One thread at a time.
  /// - Returns: `nil`, or, when a stop was asked for and all is finished or its time is up, whether all is finished.
  func poll() throws(Status) -> Bool? {
    let moment = lock.withLock { _ in
      waitingUntil = nextMoment
      return waitingUntil
    }
    var failure: Status?
    try poller.wait(until: moment) { event in
      lock.withLock { _ in
        do throws(Status) {
          try handle(event)
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    return try lock.withLock { (_) throws(Status) in
      try listener?.resumeIfDue(poller)
      closeOverdue()
      tellLeftOut()
      tellHealth()
      return isFinished ? callsInFlight == 0 : nil
    }
  }

  /// Sends what came of a job, on the thread that did it: nobody else need be woken for that.
  func deliver(_ completion: Completion) {
    lock.withLock { _ in
      finish(completion)
      // What it brought about may be due before the thread that waits looks up.
      if nextMoment < waitingUntil || isFinished { mailbox.wake() }
    }
  }

  /// Lets go of the socket and of all peers; a worker that is left behind has nobody to answer any more.
  func end() {
    lock.withLock { _ in
      logger.info("stopped", metadata: ["abandoned": "\(callsInFlight)"])
      connections = [:]
      listener = nil
    }
  }

  private var isFinished: Bool {
    guard let drainDeadline else { return false }
    let idle = callsInFlight == 0 && connections.values.allSatisfy(\.outbox.isEmpty)
    return idle || MonotonicTime.now() >= drainDeadline
  }

  private var nextMoment: MonotonicTime {
    min(
      handshakeDeadlines.first?.until ?? .never, listener?.pausedUntil ?? .never, drainDeadline ?? .never,
      callLines.nextEnd, connectionLines.nextEnd)
  }

  private func handle(_ event: Poller.Event) throws(Status) {
    switch event.token {
    case Listener.token: try accept()
    case Self.mailboxToken:
      let news = mailbox.take()
      for report in news.reports { handle(report) }
      if news.stop { beginStopping() }
    case Self.signalToken:
      while let signal = signals?.next() { handle(signal) }
    default:
      if let connection = connections[event.token] { handle(event, of: connection) }
    }
  }

  private func handle(_ signal: ServiceSignal) {
    switch signal {
    case .hangup:
      logger.notice("reloading the models", metadata: ["signal": "\(signal.name)"])
      reloadModels()
    case .interrupt, .terminate:
      logger.info("stopping", metadata: ["signal": "\(signal.name)"])
      if drainDeadline == nil { beginStopping() } else { drainDeadline = .now() }
    }
  }

  private func accept() throws(Status) {
    let paused = try listener?.accept(poller) { socket in admit(socket) }
    if paused == true {
      logger.error("no descriptor is left for new connections; raise the limit of open files (ulimit -n)")
    }
  }

  private func beginStopping() {
    guard drainDeadline == nil else { return }
    drainDeadline = MonotonicTime.now().advanced(byNanoseconds: configuration.drainTimeout)
    configuration.manager?.tell(.stopping)
    callHandler.service.health.beginStopping()
    announceStop()
    endWatches()
    listener?.stop(poller)
  }
}

/// How who is no worker tells the event loop something: it is handled by the thread that waits for the peers.
final class Mailbox: Sendable {
  private struct State {
    var reports: [HealthMonitor.Report] = []
    var stop = false
  }

  let wakeup: Wakeup
  private let state = Monitor(State())

  init() throws(Status) {
    wakeup = try Wakeup()
  }

  func put(_ report: HealthMonitor.Report) {
    state.withLock { $0.reports.append(report) }
    wakeup.signal()
  }

  /// Has the thread that waits look again at how long it may.
  func wake() {
    wakeup.signal()
  }

  func requestStop() {
    state.withLock { $0.stop = true }
    wakeup.signal()
  }

  /// For the event loop, each time it was woken.
  func take() -> (reports: [HealthMonitor.Report], stop: Bool) {
    // Before the state is read, so that what is put later wakes again.
    wakeup.clear()
    return state.withLock { state in
      defer { state = State() }
      return (state.reports, state.stop)
    }
  }
}
