package import FaceCore
package import Logging
package import Posix
import Wire

/// Decides when the engine accepts connections, drains, hands over and ends, and how long it waits.
///
/// It has no thread and no clock: `EventLoop` tells it what has happened, and when. Used only under its lock.
package final class EngineLifecycle {
  /// Messages of other threads.
  package struct Mail: Sendable {
    var reports: [HealthMonitor.Report] = []
    /// Finish accepted calls, then end.
    package var stop = false
    /// The reason to end at once, as an engine that has failed.
    package var end: String?

    package init() {}

    package mutating func add(_ report: HealthMonitor.Report) { reports.append(report) }
  }

  /// What the lifecycle asks of the rest of the process.
  package struct Requests {
    let notify: (ServiceManager.Notice) -> Void
    let reload: () -> Void

    package init(notify: @escaping (ServiceManager.Notice) -> Void, reload: @escaping () -> Void) {
      (self.notify, self.reload) = (notify, reload)
    }
  }

  package let connections: ConnectionManager
  private let drainTimeout: TimeSpan
  private let requests: Requests
  private let logger: Logger
  /// The listening socket; `nil` after `releaseSocket`.
  private var listener: Listener?
  /// The error of the last self-test.
  private var selfTestFailure: Status?
  /// The time by which an engine that was told to stop does so, also when the process that takes over is lost.
  private var stopDeadline: MonotonicTime?
  /// Whether the engine ends at once, because it can never serve whole again.
  package private(set) var isLost = false
  /// The time at which the waiting thread wakes by itself.
  private var wakeTime = MonotonicTime.never

  package init(
    _ connections: ConnectionManager, listener: any ListeningTransport, drainTimeout: TimeSpan,
    requests: Requests, logger: Logger
  ) throws(Status) {
    self.connections = connections
    self.drainTimeout = drainTimeout
    self.requests = requests
    self.logger = logger
    self.listener = try Listener(listener)
  }

  /// Starts serving calls.
  package func open() { requests.notify(.ready) }

  // MARK: Waiting

  /// Called before the thread waits for the next event.
  /// - Returns: the time until which it may wait.
  package func prepareToWait() -> MonotonicTime {
    wakeTime = nextDeadline
    return wakeTime
  }

  /// Does what is due after the events of one wait.
  /// - Returns: `nil`; when the engine has stopped, whether every call was answered within the time to drain, and
  ///   nothing was lost that made it stop.
  package func settle(at now: MonotonicTime) throws(Status) -> Bool? {
    try listener?.resumeIfDue(at: now)
    connections.closeOverdue(at: now)
    connections.answerExpired()
    connections.announceHealth(at: now)
    try handOverIfAsked(at: now)
    if isLost { return false }
    return isFinished(at: now) ? connections.callCount == 0 && !connections.queue.isRunning : nil
  }

  /// Sends the answer of a job.
  /// - Returns: whether the waiting thread has to be woken.
  package func deliver(_ completion: Completion, at now: MonotonicTime) -> Bool {
    connections.complete(completion)
    return isDue(at: now)
  }

  /// Whether the waiting thread has something to do before it would wake. Asked after a job whose rest another
  /// thread has queued.
  package func isDue(at now: MonotonicTime) -> Bool {
    // A worker that is free again may be what health waits for.
    nextDeadline < wakeTime || isFinished(at: now) || connections.announcedHealth != .serving
  }

  private func isFinished(at now: MonotonicTime) -> Bool {
    guard case .draining(let deadline) = connections.phase else { return false }
    return connections.isIdle || deadline <= now
  }

  private var nextDeadline: MonotonicTime {
    let ownDeadline = min(connections.nextDeadline, listener?.pausedUntil ?? .never)
    guard case .draining(let deadline) = connections.phase else { return ownDeadline }
    return min(ownDeadline, deadline)
  }

  // MARK: Events

  /// Accepts every waiting connection.
  package func accept(at now: MonotonicTime) throws(Status) {
    let isPaused = try listener?.accept(at: now) { transport in connections.accept(transport, at: now) }
    if isPaused == true {
      logger.error("no descriptor is left for new connections; raise the limit of open files (ulimit -n)")
    }
  }

  package func handle(_ signal: ServiceSignal, at now: MonotonicTime) {
    switch signal {
    case .hangup:
      guard connections.isServing else { return }
      logger.notice("reloading the models", metadata: ["signal": "\(signal.name)"])
      requests.notify(.reloading)
      requests.reload()
    case .interrupt, .terminate:
      logger.notice("stopping", metadata: ["signal": "\(signal.name)"])
      if stopDeadline != nil {
        stopDeadline = now
        connections.drain(until: now, at: now)
      } else {
        stop(at: now)
      }
    }
  }

  package func handle(_ mail: Mail, at now: MonotonicTime) {
    for report in mail.reports { handle(report) }
    if mail.stop { stop(at: now) }
    if let reason = mail.end { end(reason, at: now) }
  }

  /// Takes ownership of the socket's file, since the engine before this one has ended.
  package func ownSocketFile() {
    connections.hasPredecessor = false
    listener?.transport.setOwned(true)
  }

  /// Releases the socket, and removes its file if this engine owns it.
  package func releaseSocket() { listener = nil }

  /// Closes all connections, and accepts no more.
  package func close() {
    logger.info(
      "stopped",
      metadata: [
        "abandoned": "\(connections.callCount)",
        "busy_workers": "\(connections.statistics.busyWorkers.value)",
      ])
    connections.answerUnfinished()
    listener?.stop()
    if connections.hasHeir { listener?.transport.setOwned(false) }
    connections.endTakeOver()
    connections.closeAll()
  }

  /// Lets another process take this engine's place, or resumes serving if that process is gone.
  private func handOverIfAsked(at now: MonotonicTime) throws(Status) {
    connections.giveUpSuccessor(at: now)
    if connections.hasLostSuccessor { try resume(at: now) }
    let step = connections.answerSuccessor(until: now + drainTimeout, at: now) {
      (transport, counters, stream) throws(Status) -> [UInt8] in
      guard let sent = try listener?.send(to: transport, counters, stream) else {
        throw Status(.internal, "the engine has no socket; please report this")
      }
      return sent
    }
    guard step == .begin else { return }
    listener?.pause()
    logger.notice("another process takes over; finishing the accepted calls")
  }

  /// Resumes serving, or stopping if the engine was told to stop, since the process that was to take over does not.
  private func resume(at now: MonotonicTime) throws(Status) {
    connections.hasLostSuccessor = false
    if listener?.isStopped == true { return }
    connections.resume()
    if let stopDeadline { return drain(until: stopDeadline, at: now) }
    try listener?.transport.watch()
    logger.error("the process that was taking over is gone, or does not serve; this engine keeps serving")
  }

  private func stop(at now: MonotonicTime) {
    let deadline = stopDeadline ?? now + drainTimeout
    stopDeadline = deadline
    drain(until: deadline, at: now)
  }

  /// Finishes accepted calls, unless the engine does so already.
  private func drain(until deadline: MonotonicTime, at now: MonotonicTime) {
    guard connections.isServing else { return }
    requests.notify(.stopping)
    connections.drain(until: deadline, at: now)
    listener?.stop()
  }

  /// Ends the engine for its supervisor, which starts another one.
  private func end(_ reason: String, at now: MonotonicTime) {
    logger.critical("\(reason); exiting with status 1, so that a supervisor restarts the engine")
    connections.drain(until: now, at: now)
    isLost = true
  }

  private func handle(_ report: HealthMonitor.Report) {
    switch report {
    case .tested(let failure):
      // Only here, so that it also proves that this thread is alive.
      if failure == nil, connections.callHandler.service.decoders?.failure == nil { requests.notify(.alive) }
      if failure?.message != selfTestFailure?.message { log(selfTest: failure) }
      selfTestFailure = failure
    case .reloaded(let failure):
      if let failure {
        logger.error(
          "models not reloaded; the loaded ones stay",
          metadata: ["status": "\(failure.code.name)", "reason": "\(failure.message)"])
      } else {
        logger.notice("models reloaded")
      }
      if connections.isServing { requests.notify(.ready) }
    case .released: logger.info("models released until the next call, because no call came for a while")
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
