import FaceCore
import Logging
import Posix
import Wire

/// Waits for connections, signals and messages of other threads, and handles each when it is ready.
///
/// One thread at a time waits, in `poll`; a thread that has run a call passes its answer to `deliver`.
/// Everything else is used only under `lock`, which a thread holds no longer than reading or writing a
/// socket's buffer takes.
///
/// This class decides when things happen; `ConnectionManager` decides what happens to connections and their
/// calls.
final class EventLoop: @unchecked Sendable {
  private static let mailboxToken: UInt64 = 1
  private static let signalToken: UInt64 = 2

  /// Protects all mutable state, including the connections.
  private let lock = Monitor(())
  private let connections: ConnectionManager
  private let mailbox: Mailbox
  private let signals: SignalReader?
  private let healthMonitor: HealthMonitor
  private let configuration: ServerConfiguration
  private let logger: Logger
  /// The listening socket; `nil` when the loop has ended.
  private var listener: Listener?
  /// The error of the last self-test.
  private var selfTestFailure: Status?
  /// Whether the engine ends at once, because it can never serve whole again.
  private var isLost = false
  /// The time at which the waiting thread wakes by itself.
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

  /// Starts serving calls.
  func open() {
    logger.info("serving", metadata: ["socket": "\(configuration.socket)"])
    configuration.manager?.notify(.ready)
  }

  /// Waits for the next event and handles it. One thread at a time.
  /// - Returns: `nil`; when the engine has stopped, whether every call was answered within the time to drain, and
  ///   nothing was lost that made it stop.
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
      if isLost { return false }
      return isFinished ? connections.callCount == 0 && !connections.scheduler.isRunning : nil
    }
  }

  /// Sends the answer of a job on the thread that ran it, so that no other thread has to be woken.
  func deliver(_ completion: Completion) {
    lock.withLock { _ in
      connections.complete(completion)
      wakeIfDue()
    }
  }

  /// Wakes the waiting thread if something is due before it would wake. Called after jobs of which another
  /// thread has queued the rest.
  func reconsiderDeadline() {
    lock.withLock { _ in wakeIfDue() }
  }

  private func wakeIfDue() {
    // A worker that is free again may be what health waits for.
    if nextDeadline < wakeTime || isFinished || connections.announcedHealth != .serving { mailbox.wake() }
  }

  /// Takes ownership of the socket's file, since the engine before this one has ended. Any thread.
  func ownSocketFile() {
    lock.withLock { _ in listener?.setOwned(true) }
  }

  /// Closes the socket and all connections.
  func close() {
    lock.withLock { _ in
      logger.info(
        "stopped",
        metadata: [
          "abandoned": "\(connections.callCount)",
          "busy_workers": "\(connections.statistics.busyWorkers.value)",
        ])
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

  /// Lets another process take this engine's place, or resumes serving if that process is gone.
  private func handOverIfAsked() throws(Status) {
    if connections.hasLostSuccessor {
      connections.hasLostSuccessor = false
      connections.resume()
      try listener?.resume(connections.poller)
      logger.error("the process that was to take over is gone; serving on")
    }
    let deadline = MonotonicTime.now() + configuration.drainTimeout
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
    connections.drain(until: MonotonicTime.now() + configuration.drainTimeout)
    listener?.stop(connections.poller)
  }

  private func readMailbox() {
    let mail = mailbox.empty()
    for report in mail.reports { handle(report) }
    if mail.stop { drain() }
    if mail.end { end() }
  }

  /// Ends the engine for its supervisor, which starts another one.
  private func end() {
    logger.critical(
      "all processes that start decoders have ended; exiting with status 1, so that a supervisor restarts the engine"
    )
    connections.drain(until: .now())
    isLost = true
  }

  private func handle(_ report: HealthMonitor.Report) {
    switch report {
    case .tested(let failure):
      // Only here, so that it also proves that this thread is alive.
      if failure == nil, configuration.decoders?.failure == nil { configuration.manager?.notify(.alive) }
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

/// Accepts connections, and pauses while the process has no descriptor left for them.
struct Listener: ~Copyable {
  static let token: UInt64 = 0
  /// The length of a pause.
  private static let pauseLength: TimeSpan = .milliseconds(100)

  private var file: SocketFile
  /// The time of the next attempt; `never` while not pausing.
  private(set) var pausedUntil = MonotonicTime.never

  /// - Parameter file: the socket's file. If it was claimed, it is removed from the file system when the
  ///   listener ends.
  init(_ file: consuming SocketFile, poller: borrowing Poller) throws(Status) {
    try poller.add(file.socket, token: Self.token, for: .read)
    self.file = file
  }

  /// Passes on every waiting connection; returns true if it has to pause.
  mutating func accept(
    _ poller: borrowing Poller, _ handle: (consuming UnixSocket) -> Void
  ) throws(Status) -> Bool {
    while true {
      switch try file.socket.accept() {
      case .connection(let socket): handle(socket)
      case .none: return false
      case .exhausted:
        // The poller is level-triggered: if the socket stayed in it, the loop would wake continuously.
        poller.remove(file.socket)
        pausedUntil = MonotonicTime.now() + Self.pauseLength
        return true
      }
    }
  }

  /// Sends the socket to the process that takes over, as the answer to its call.
  /// - Returns: the unsent rest of the answer.
  func send(
    to peer: borrowing UnixSocket, _ counters: EngineCounters, _ stream: UInt32
  ) throws(Status) -> [UInt8] {
    let frame = try TakeOverCall.responseFrame(
      stream: stream, .init(ownsSocketFile: file.isEngines, counters: counters))
    let transfer = try frame.span.withUnsafeBytes { (bytes) throws(Status) in
      try file.send(to: peer, with: bytes)
    }
    guard case .bytes(let sent) = transfer else {
      throw Status(.unavailable, "the connection has no room for the answer; try again")
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

  /// Sets whether this process has to remove the socket's file.
  mutating func setOwned(_ isOwned: Bool) { file.setOwned(isOwned) }

  mutating func resumeIfDue(_ poller: borrowing Poller) throws(Status) {
    guard pausedUntil.isPast else { return }
    pausedUntil = .never
    try poller.add(file.socket, token: Self.token, for: .read)
  }

  /// Stops accepting connections; see `SocketFile.stopListening`. The file stays until the listener ends.
  mutating func stop(_ poller: borrowing Poller) {
    poller.remove(file.socket)
    pausedUntil = .never
    file.stopListening()
  }
}

/// Holds messages of other threads for the event loop, and wakes it.
final class Mailbox: Sendable {
  private struct State {
    var reports: [HealthMonitor.Report] = []
    var stop = false
    var end = false
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

  /// Requests the end of the engine at once, as one that has failed.
  func requestEnd() {
    state.withLock { $0.end = true }
    wakeup.signal()
  }

  /// Wakes the waiting thread, which then checks again how long it may wait.
  func wake() {
    wakeup.signal()
  }

  /// Takes everything that was posted since the last call.
  func empty() -> (reports: [HealthMonitor.Report], stop: Bool, end: Bool) {
    // Before the state is read, so that later posts wake the thread again.
    wakeup.clear()
    return state.withLock { state in
      defer { state = State() }
      return (state.reports, state.stop, state.end)
    }
  }
}
