import FaceCore
import Logging
import Posix
import Wire

/// Waits for connections, signals and messages of other threads, and handles each when it is ready.
///
/// One thread at a time waits, in `poll`; a thread that has run a call hands in its answer, with `deliver`. All else is
/// touched only under `lock`, which no thread holds for longer than it takes to read or write what a socket holds.
///
/// Here is when things happen; what happens to connections and their calls is in `ConnectionManager`.
final class EventLoop: @unchecked Sendable {
  private static let mailboxToken: UInt64 = 1
  private static let signalToken: UInt64 = 2

  /// Around everything that changes, the connections among it.
  private let lock = Monitor(())
  private let connections: ConnectionManager
  private let mailbox: Mailbox
  private let signals: SignalReader?
  private let healthMonitor: HealthMonitor
  private let configuration: ServerConfiguration
  private let logger: Logger
  /// `nil` when all is over.
  private var listener: Listener?
  /// What was wrong at the last self-test.
  private var selfTestFailure: Status?
  /// When the thread that waits wakes by itself.
  private var wakeTime = MonotonicTime.never

  init(
    file: consuming SocketFile, signals: consuming SignalReader?, mailbox: Mailbox,
    connections: ConnectionManager, healthMonitor: HealthMonitor, configuration: ServerConfiguration,
    logger: Logger
  ) throws(Status) {
    self.connections = connections
    self.mailbox = mailbox
    self.healthMonitor = healthMonitor
    self.configuration = configuration
    self.logger = logger
    listener = try Listener(file, poller: connections.poller)
    try connections.poller.add(mailbox.wakeup, token: Self.mailboxToken, for: .read)
    self.signals = signals
    switch self.signals {
    case .some(let reader): try connections.poller.add(reader, token: Self.signalToken, for: .read)
    case nil: break
    }
  }

  /// Announces that calls are served from now on.
  func open() {
    logger.info("serving", metadata: ["socket": "\(configuration.socket)"])
    configuration.manager?.notify(.ready)
  }

  /// Waits for what comes first and handles it. One thread at a time.
  /// - Returns: `nil`; when the engine has stopped, whether every call was answered within the time to drain.
  func poll() throws(Status) -> Bool? {
    let until = lock.withLock { _ in
      wakeTime = nextDeadline
      return wakeTime
    }
    var failure: Status?
    try connections.poller.wait(until: until) { event in
      lock.withLock { _ in
        do throws(Status) {
          switch event.token {
          case Listener.token: try accept()
          case Self.mailboxToken: readMailbox()
          case Self.signalToken: while let signal = signals?.next() { handle(signal) }
          default: connections.serve(event)
          }
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    return try lock.withLock { (_) throws(Status) in
      try listener?.resumeIfDue(connections.poller)
      connections.closeOverdue()
      connections.answerExpired()
      connections.announceHealth()
      try handOverIfAsked()
      return isFinished ? connections.callCount == 0 : nil
    }
  }

  /// Sends the answer of a job, on the thread that ran it: no other need be woken for that.
  func deliver(_ completion: Completion) {
    lock.withLock { _ in
      connections.complete(completion)
      // What it brought about may be due before the thread that waits wakes.
      if nextDeadline < wakeTime || isFinished { mailbox.wake() }
    }
  }

  /// Wakes the thread that waits if something is due before it would wake. For jobs that another thread has queued.
  func reconsiderDeadline() {
    lock.withLock { _ in if nextDeadline < wakeTime { mailbox.wake() } }
  }

  /// The engine before this one has ended: the socket's file is this one's. From any thread.
  func ownSocketFile() {
    lock.withLock { _ in listener?.setOwned(true) }
  }

  /// Closes the socket and all connections.
  func close() {
    lock.withLock { _ in
      logger.info("stopped", metadata: ["abandoned": "\(connections.callCount)"])
      if connections.isHandingOver {
        listener?.setOwned(false)
        connections.endTakeOver()
      }
      connections.closeAll()
      listener = nil
    }
  }

  private var isFinished: Bool {
    guard case .draining(let deadline) = connections.phase else { return false }
    return connections.isIdle || deadline.isPast
  }

  private var nextDeadline: MonotonicTime {
    let ownDeadline = min(connections.nextDeadline, listener?.pausedUntil ?? .never)
    guard case .draining(let deadline) = connections.phase else { return ownDeadline }
    return min(ownDeadline, deadline)
  }

  private func accept() throws(Status) {
    let isPaused = try listener?.accept(connections.poller) { socket in connections.accept(socket) }
    if isPaused == true {
      logger.error("no descriptor is left for new connections; raise the limit of open files (ulimit -n)")
    }
  }

  private func handle(_ signal: ServiceSignal) {
    switch signal {
    case .hangup:
      logger.notice("reloading the models", metadata: ["signal": "\(signal.name)"])
      guard connections.isServing else { return }
      configuration.manager?.notify(.reloading)
      healthMonitor.requestReload()
    case .interrupt, .terminate:
      logger.info("stopping", metadata: ["signal": "\(signal.name)"])
      if connections.isServing { drain() } else { connections.drain(until: .now()) }
    }
  }

  /// Lets another process take this engine's place, or serves on when that process is gone.
  private func handOverIfAsked() throws(Status) {
    if connections.hasLostSuccessor {
      connections.hasLostSuccessor = false
      connections.resume()
      try listener?.resume(connections.poller)
      logger.error("the process that was to take over is gone; serving on")
    }
    let deadline = MonotonicTime.now().advanced(byNanoseconds: configuration.drainTimeout)
    let begun = connections.beginTakeOver(until: deadline) {
      (socket, counters, stream) throws(Status) -> [UInt8] in
      guard let sent = try listener?.send(to: socket, counters, stream) else {
        throw Status(.unavailable, "the engine is stopping; start another one when it has ended")
      }
      return sent
    }
    guard begun == true else { return }
    listener?.pause(connections.poller)
    logger.notice("another process takes over; finishing what was accepted")
  }

  private func drain() {
    guard connections.isServing else { return }
    configuration.manager?.notify(.stopping)
    connections.drain(until: MonotonicTime.now().advanced(byNanoseconds: configuration.drainTimeout))
    listener?.stop(connections.poller)
  }

  private func readMailbox() {
    let mail = mailbox.empty()
    for report in mail.reports { handle(report) }
    if mail.stop { drain() }
  }

  private func handle(_ report: HealthMonitor.Report) {
    switch report {
    case .tested(let failure):
      // Only here, so that it says that this thread is alive as well.
      if failure == nil { configuration.manager?.notify(.alive) }
      if failure?.message != selfTestFailure?.message { log(selfTest: failure) }
      selfTestFailure = failure
    case .reloaded(let failure):
      if let failure {
        logger.error(
          "models not reloaded; those that were loaded stay",
          metadata: ["status": "\(failure.code.name)", "reason": "\(failure.message)"])
      } else {
        logger.notice("models reloaded")
      }
      if connections.isServing { configuration.manager?.notify(.ready) }
    case .released: logger.info("models released until the next call: none came for a while")
    }
  }

  private func log(selfTest failure: Status?) {
    if let failure {
      logger.error(
        "self-test failed; not serving",
        metadata: ["status": "\(failure.code.name)", "reason": "\(failure.message)"])
    } else {
      logger.notice("self-test passed again; serving")
    }
  }
}

/// Accepts connections, and pauses when the process has no descriptor left for them.
struct Listener: ~Copyable {
  static let token: UInt64 = 0
  /// Nanoseconds.
  private static let pauseLength: Int64 = 100_000_000

  private var file: SocketFile
  /// When to try again; `never` while not pausing.
  private(set) var pausedUntil = MonotonicTime.never

  /// - Parameter file: what was claimed is removed from the file system when the listener is gone.
  init(_ file: consuming SocketFile, poller: borrowing Poller) throws(Status) {
    try poller.add(file.socket, token: Self.token, for: .read)
    self.file = file
  }

  /// Hands on every connection that waits; true when it has to pause instead.
  mutating func accept(
    _ poller: borrowing Poller, _ handle: (consuming UnixSocket) -> Void
  ) throws(Status) -> Bool {
    while true {
      switch try file.socket.accept() {
      case .connection(let socket): handle(socket)
      case .none: return false
      case .exhausted:
        // Level-triggered: left in the poller it would wake the loop without end.
        poller.remove(file.socket)
        pausedUntil = MonotonicTime.now().advanced(byNanoseconds: Self.pauseLength)
        return true
      }
    }
  }

  /// Sends the socket to the process that takes over, as the answer to its call.
  /// - Returns: what of the answer is still to be sent.
  func send(
    to peer: borrowing UnixSocket, _ counters: EngineCounters, _ stream: UInt32
  ) throws(Status) -> [UInt8] {
    let frame = try TakeOverCall.responseFrame(
      stream: stream, .init(ownsSocketFile: file.isEngines, counters: counters))
    let transfer = try frame.span.withUnsafeBytes { (bytes) throws(Status) in
      try file.send(to: peer, with: bytes)
    }
    guard case .bytes(let sent) = transfer else {
      throw Status(.unavailable, "the answer finds no room on the connection; try again")
    }
    return Array(frame[sent...])
  }

  /// Leaves new connections to the process that takes over.
  mutating func pause(_ poller: borrowing Poller) {
    if pausedUntil == .never { poller.remove(file.socket) }
    pausedUntil = .never
  }

  /// Accepts connections again.
  mutating func resume(_ poller: borrowing Poller) throws(Status) {
    try poller.add(file.socket, token: Self.token, for: .read)
  }

  /// Says whether the socket's file is this process's to remove.
  mutating func setOwned(_ isOwned: Bool) { file.setOwned(isOwned) }

  mutating func resumeIfDue(_ poller: borrowing Poller) throws(Status) {
    guard pausedUntil.isPast else { return }
    pausedUntil = .never
    try poller.add(file.socket, token: Self.token, for: .read)
  }

  /// Accepts no more connections; see `SocketFile.stopListening`. The file stays until the listener is gone.
  mutating func stop(_ poller: borrowing Poller) {
    poller.remove(file.socket)
    pausedUntil = .never
    file.stopListening()
  }
}

/// Keeps messages of other threads for the event loop, and wakes it.
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

  func post(_ report: HealthMonitor.Report) {
    state.withLock { $0.reports.append(report) }
    wakeup.signal()
  }

  func requestStop() {
    state.withLock { $0.stop = true }
    wakeup.signal()
  }

  /// Has the thread that waits look again at how long it may.
  func wake() {
    wakeup.signal()
  }

  /// Everything that was posted since the last time.
  func empty() -> (reports: [HealthMonitor.Report], stop: Bool) {
    // Before the state is read, so that what is posted later wakes again.
    wakeup.clear()
    return state.withLock { state in
      defer { state = State() }
      return (state.reports, state.stop)
    }
  }
}
