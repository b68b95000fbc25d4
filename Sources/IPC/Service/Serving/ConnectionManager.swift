package import FaceCore
package import Logging
package import Posix
package import Wire

/// Owns the connections: accepts them, reads their frames and sends their answers. It has no thread and no
/// clock. Used only under the event loop's lock.
///
/// Extensions handle calls (`+Calls`), streams of frames (`+Streams`) and what ttrpc lacks (`+Control`).
package final class ConnectionManager {
  package enum Phase {
    case serving
    /// Accepted calls are finished until the deadline, and no new ones are accepted.
    case draining(until: MonotonicTime)
    case stopped
  }

  private static let firstID: UInt64 = 16

  let limits: EngineLimits
  package let callHandler: CallHandler
  let queue: any CallQueue
  let accounts: UserAccounts
  let logger: Logger
  let accessLog: AccessLog?
  private let access: AccessList
  /// The time from BEGIN to END of a take-over, after which the other process counts as unable to serve.
  let endTimeout: TimeSpan
  /// Whether a descriptor is the folder that the engine's socket is in.
  let isSocketFolder: (borrowing Descriptor) -> Bool
  package var phase = Phase.serving
  /// The process that is taking over, if any.
  var successor: Successor?
  /// Whether an engine whose place this one takes still finishes its calls, and owns the socket's file.
  package var hasPredecessor = false
  /// Whether the process that was to take over has gone before this engine has ended.
  var hasLostSuccessor = false
  package private(set) var connections: [UInt64: Connection] = [:]
  package private(set) var nextID = firstID
  private var lastSerial: UInt64 = 0
  /// Connections with a time limit to send a frame, or to read their answers before they are closed, in the
  /// order of these limits.
  private var deadlines = Fifo<(id: UInt64, until: MonotonicTime)>()
  /// The status last sent to the callers of `Health/Watch`.
  package private(set) var announcedHealth: ServingStatus
  /// The buffer that receives everything small, for all connections.
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  package init(
    limits: EngineLimits, access: AccessList, callHandler: CallHandler, queue: any CallQueue,
    accounts: UserAccounts, logger: Logger, accessLog: AccessLog?, firstConnection: UInt64 = 0,
    endTimeout: TimeSpan = .seconds(10), isSocketFolder: @escaping (borrowing Descriptor) -> Bool
  ) {
    self.limits = limits
    self.access = access
    self.callHandler = callHandler
    self.queue = queue
    self.accounts = accounts
    self.logger = logger
    self.accessLog = accessLog
    nextID = max(Self.firstID, firstConnection)
    self.endTimeout = endTimeout
    self.isSocketFolder = isSocketFolder
    announcedHealth = callHandler.service.health.status
  }

  deinit {
    scratch.deallocate()
  }

  package var statistics: Statistics { callHandler.service.statistics }

  package var isServing: Bool { if case .serving = phase { true } else { false } }

  /// The connections in the order in which they were accepted.
  var inOrder: [Connection] { connections.values.sorted { $0.id < $1.id } }

  /// The number of calls that a worker has or will have, and of streams of frames.
  package var callCount: Int {
    connections.values.reduce(0) { sum, connection in
      sum + connection.pendingCalls.values.count { $0.isWork }
    }
  }

  /// Whether every call is answered, every answer read, and every worker free: one may still be at a call that
  /// was cancelled.
  var isIdle: Bool {
    callCount == 0 && connections.values.allSatisfy(\.outbox.isEmpty) && (!isHandingOver || hasHandedOver)
      && !queue.isRunning
  }

  /// The time of the next call of `closeOverdue`, `answerExpired`, `announceHealth` or `giveUpSuccessor`.
  var nextDeadline: MonotonicTime {
    let due = min(deadlines.first?.until ?? .never, queue.nextExpiry, endDeadline)
    return announcedHealth == .serving ? min(due, queue.timeWhenStuck) : due
  }

  func makeRequestID(_ stream: UInt32, of connection: Connection) -> RequestID {
    lastSerial += 1
    return RequestID(
      user: connection.peer.user, connection: connection.id, stream: stream, serial: lastSerial)
  }

  // MARK: Connections

  func accept(_ transport: any Transport, at now: MonotonicTime) {
    do throws(Status) {
      let peer = try transport.peer()
      statistics.count { $0.connectionsTotal += 1 }
      guard case .accepted(let reservation, var refusal) = admit(peer.user) else {
        statistics.count { $0.connectionsRefused += 1 }
        return logger.warning(
          "connection refused: too many are open", metadata: ["peer": "\(peer)"])
      }
      if refusal == nil, try !isAllowed(peer, transport) {
        refusal = Status(
          .permissionDenied,
          "uid \(peer.user) may not use this engine; ask its administrator to allow the user or one of its groups"
        )
      }
      if refusal != nil { statistics.count { $0.connectionsRefused += 1 } }
      let connection = Connection(
        id: nextID, peer: peer, transport: transport, messageBytes: limits.maxMessageBytes, refusal: refusal,
        reservation: reservation, statistics: statistics)
      nextID += 1
      try transport.watch(connection.interest, as: connection.id)
      connections[connection.id] = connection
      setDeadline(of: connection, at: now)
    } catch {
      logger.error("connection lost while it was accepted", metadata: ["reason": "\(error.message)"])
    }
  }

  /// Admits a connection of `user`. Before refusing, closes the user's connections whose peers are gone,
  /// since they do not count.
  private func admit(_ user: UInt32) -> UserAccounts.Admission {
    let admission = accounts.admitConnection(of: user)
    if case .accepted(_, nil) = admission { return admission }
    let gone = connections.values.filter { $0.peer.user == user && $0.transport.isAbandoned }
    if gone.isEmpty { return admission }
    for connection in gone.sorted(by: { $0.id < $1.id }) { close(connection) }
    if case .accepted(let reservation, _) = admission { reservation.release() }
    return accounts.admitConnection(of: user)
  }

  private func isAllowed(_ peer: Peer, _ transport: any Transport) throws(Status) -> Bool {
    let groups = try access.groups.isEmpty ? [] : transport.peerGroups()
    return access.admits(user: peer.user, groups: groups)
  }

  /// Reads from and writes to a connection that is ready.
  package func serve(_ event: Poller.Event, at now: MonotonicTime) {
    guard let connection = connections[event.token] else { return }
    // No caller is left to answer.
    if event.ended { return close(connection) }
    if event.readable, connection.phase.isReading {
      do throws(Status) {
        let isOpen = try connection.receive(scratch) { event in handle(event, from: connection, at: now) }
        if !isOpen { finish(connection) }
      } catch {
        return drop(connection, error.message)
      }
    }
    flush(connection)
  }

  /// Sends as much as the peer takes now. What is left waits, with limits on its time and size.
  func flush(_ connection: Connection) {
    do throws(Status) {
      let before = connection.outbox.count
      let isOpen = try connection.outbox.flush { (bytes) throws(Status) in
        try connection.transport.write(bytes)
      }
      statistics.count { $0.sentBytes += before - connection.outbox.count }
      guard isOpen, !connection.isFinished else { return close(connection) }
      guard connection.owedBytes <= limits.unreadBytes else {
        return drop(connection, "it leaves \(connection.owedBytes) bytes of answers unread")
      }
      let wanted = connection.wantedInterest
      if wanted != connection.interest {
        try connection.transport.change(to: wanted, as: connection.id)
        connection.interest = wanted
      }
    } catch {
      drop(connection, error.message)
    }
  }

  /// Answers what the peer has sent: it sends no more, and may still read.
  private func finish(_ connection: Connection) {
    connection.phase = .finishing
    for stream in connection.streams {
      stream.isClosedByClient = true
      advance(stream, of: connection)
    }
  }

  /// Closes a connection after the peer has read its answers.
  func closeWhenSent(_ connection: Connection, at now: MonotonicTime) {
    connection.phase = .closing
    setDeadline(of: connection, at: now)
  }

  private func setDeadline(of connection: Connection, at now: MonotonicTime) {
    deadlines.append((connection.id, now + limits.firstFrameTimeout))
  }

  /// Closes connections that have exceeded their time limits.
  func closeOverdue(at now: MonotonicTime) {
    while let (id, until) = deadlines.first {
      // Connections that are gone, or have done what was expected, are removed at once: otherwise they would
      // pile up until their time limit.
      guard let connection = connections[id], connection.phase == .new || connection.phase == .closing else {
        _ = deadlines.popFirst()
        continue
      }
      guard until <= now else { return }
      _ = deadlines.popFirst()
      drop(connection, "it sent no whole message in time, or did not read its answer")
    }
  }

  private func drop(_ connection: Connection, _ reason: String) {
    statistics.count { $0.peersDropped += 1 }
    logger.warning(
      "connection closed", metadata: ["peer": "\(connection.peer)", "reason": "\(reason)"])
    close(connection)
  }

  /// Closes a connection and releases what it owns: its waiting calls are dropped, and running ones
  /// cancelled.
  private func close(_ connection: Connection) {
    connection.transport.stopWatching()
    connections[connection.id] = nil
    if successor?.connection == connection.id {
      hasLostSuccessor = isHandingOver
      successor = nil
    }
    connection.reservation.release()
    connection.incoming?.release()
    queue.cancelAll(ofConnection: connection.id, user: connection.peer.user)
    for stream in connection.streams { statistics.recordEnd(of: stream.method, failure: .cancelled) }
  }

  // MARK: Health

  /// Sends a change of the engine's health to the callers of `Health/Watch`. Called whenever it may have
  /// changed.
  func announceHealth(at now: MonotonicTime) {
    let status = callHandler.service.health.status
    guard status != announcedHealth else { return }
    announcedHealth = status
    if queue.timeWhenStuck <= now {
      logger.error(
        "not serving: calls that do not end keep all workers of a user busy",
        metadata: ["workers": "\(queue.capacity)"])
    }
    if let failure = callHandler.service.decoders?.failure {
      logger.error("not serving: no picture file can be decoded", metadata: ["reason": "\(failure.message)"])
    }
    for connection in inOrder {
      let before = connection.outbox.count
      for case (let stream, .healthWatch(let sent)) in connection.pendingCalls
      where sent != status && sent != .serviceUnknown {
        sendHealth(status, to: connection, stream)
      }
      if connection.outbox.count > before { flush(connection) }
    }
  }

  // MARK: Stopping

  /// Stops accepting calls; accepted ones have until `deadline`. May be called again with an earlier one.
  func drain(until deadline: MonotonicTime, at now: MonotonicTime) {
    let isFirst = isServing
    phase = .draining(until: deadline)
    guard isFirst else { return }
    callHandler.service.health.stopServing()
    announceStop(at: now)
  }

  /// Answers unfinished calls with a failure, as far as their peers take that without blocking.
  func answerUnfinished() {
    phase = .stopped
    let status = Status(.unavailable, "the engine stopped before this call was done; try again when it runs")
    for connection in inOrder {
      for (number, call) in connection.pendingCalls.sorted(by: { $0.key < $1.key }) where call.isWork {
        connection.pendingCalls[number] = nil
        connection.outbox.append(FailedCall.responseFrame(stream: number, status))
        switch call {
        case .single(_, let method):
          let trace = RequestTrace()
          record(
            CallRecord(stream: number, method: method, trace: trace, failure: status, size: 0), of: connection
          )
        case .frames(let stream): statistics.recordEnd(of: stream.method, failure: status.code)
        case .healthWatch, .takeOver: break
        }
      }
      flush(connection)
    }
  }

  func closeAll() {
    for connection in connections.values { connection.transport.stopWatching() }
    connections = [:]
  }
}

extension Connection.PendingCall {
  /// Whether a stopping engine has to finish it.
  fileprivate var isWork: Bool {
    switch self {
    case .single, .frames: true
    case .healthWatch, .takeOver: false
    }
  }
}
