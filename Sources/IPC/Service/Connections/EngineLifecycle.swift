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
    /// End at once, as an engine that has failed.
    package var end = false

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
  /// The listening socket; `nil` when the engine has ended.
  private var listener: Listener?
  /// The error of the last self-test.
  private var selfTestFailure: Status?
  /// Whether the engine was told to stop, which it also does when the process that takes over is lost.
  private var isToldToStop = false
  /// Whether the engine ends at once, because it can never serve whole again.
  private var isLost = false
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
      if isToldToStop { connections.drain(until: now, at: now) } else { stop(at: now) }
    }
  }

  package func handle(_ mail: Mail, at now: MonotonicTime) {
    for report in mail.reports { handle(report) }
    if mail.stop { stop(at: now) }
    if mail.end { end(at: now) }
  }

  /// Takes ownership of the socket's file, since the engine before this one has ended.
  func ownSocketFile() { listener?.setOwned(true) }

  /// Closes the socket and all connections.
  package func close() {
    logger.info(
      "stopped",
      metadata: [
        "abandoned": "\(connections.callCount)",
        "busy_workers": "\(connections.statistics.busyWorkers.value)",
      ])
    connections.answerUnfinished()
    if connections.isHandingOver {
      listener?.setOwned(false)
      connections.endTakeOver()
    }
    connections.closeAll()
    listener = nil
  }

  /// Lets another process take this engine's place, or resumes serving if that process is gone.
  private func handOverIfAsked(at now: MonotonicTime) throws(Status) {
    if connections.hasLostSuccessor {
      connections.hasLostSuccessor = false
      connections.resume()
      if isToldToStop {
        drain(at: now)
      } else {
        try listener?.resume()
        logger.error("the process that was taking over is gone; this engine keeps serving")
      }
    }
    let begun = connections.beginTakeOver(until: now + drainTimeout, at: now) {
      (transport, counters, stream) throws(Status) -> [UInt8] in
      guard let sent = try listener?.send(to: transport, counters, stream) else {
        throw Status(.unavailable, "the engine is stopping; start another one when it has ended")
      }
      return sent
    }
    guard begun == true else { return }
    listener?.pause()
    logger.notice("another process takes over; finishing the accepted calls")
  }

  private func stop(at now: MonotonicTime) {
    isToldToStop = true
    drain(at: now)
  }

  /// Finishes accepted calls, unless the engine does so already.
  private func drain(at now: MonotonicTime) {
    guard connections.isServing else { return }
    requests.notify(.stopping)
    connections.drain(until: now + drainTimeout, at: now)
    listener?.stop()
  }

  /// Ends the engine for its supervisor, which starts another one.
  private func end(at now: MonotonicTime) {
    logger.critical(
      "all processes that start decoders have ended; exiting with status 1, so that a supervisor restarts the engine"
    )
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
