import FaceCore
import Logging
import Posix
import Wire

/// What happens to peers: they come, are read from and written to, and go.
extension EventLoop {
  func admit(_ socket: consuming UnixSocket) {
    do throws(Status) {
      let peer = try socket.peer()
      statistics.connectionsTotal.add()
      let verdict = admission.enter(user: peer.user)
      var refusal: Status?
      switch verdict {
      case .welcome: break
      case .refuse(let status):
        statistics.connectionsRefused.add()
        refusal = status
      case .close:
        statistics.connectionsRefused.add()
        if connectionLines.take(peer.user) {
          logger.warning("connection refused: too many are open", metadata: ["peer": "\(peer)"])
        }
        return
      }
      if refusal == nil, let status = try notAllowed(peer, socket) {
        statistics.connectionsRefused.add()
        refusal = status
      }
      let connection = Connection(
        id: nextConnection, peer: peer, socket: socket, messageBytes: configuration.limits.messageBytes,
        refusal: refusal, statistics: statistics)
      nextConnection += 1
      do throws(Status) {
        try poller.add(connection.socket, token: connection.id, for: connection.interest)
      } catch {
        admission.leave(user: peer.user)
        throw error
      }
      connections[connection.id] = connection
      statistics.connections.add()
      expectSoon(connection)
    } catch {
      logger.error("connection lost while it was accepted", metadata: ["reason": "\(error.message)"])
    }
  }

  /// What a peer is told that is not on the list of those who may call.
  private func notAllowed(_ peer: Peer, _ socket: borrowing UnixSocket) throws(Status) -> Status? {
    let groups = try configuration.access.groups.isEmpty ? [] : socket.peerGroups()
    if configuration.access.admits(user: peer.user, groups: groups) { return nil }
    return Status(
      .permissionDenied,
      "uid \(peer.user) may not use this engine; have its administrator add the user or a group of it")
  }

  func handle(_ event: Poller.Event, of connection: Connection) {
    // A peer that is gone takes its calls with it: nobody is left to answer.
    if event.ended { return close(connection) }
    if event.readable, !connection.isClosing {
      do throws(Status) {
        let more = try connection.receive(scratch) { event in self.handle(event, from: connection) }
        if !more { return close(connection) }
      } catch {
        return drop(connection, error.message)
      }
    }
    flush(connection)
  }

  /// Sends what the peer takes now and waits for the rest, but not for ever and not for any amount.
  func flush(_ connection: Connection) {
    do throws(Status) {
      guard try connection.flush() else { return close(connection) }
      if connection.isClosing, connection.outbox.isEmpty { return close(connection) }
      guard connection.owedBytes <= configuration.limits.unreadBytes else {
        return drop(connection, "it leaves \(connection.owedBytes) bytes of answers unread")
      }
      let wanted = connection.wantedInterest
      if wanted != connection.interest {
        try poller.change(connection.socket, token: connection.id, to: wanted)
        connection.interest = wanted
      }
    } catch {
      drop(connection, error.message)
    }
  }

  /// Lets the peer read what it is owed, then closes.
  func closeWhenSent(_ connection: Connection) {
    connection.closeWhenSent()
    expectSoon(connection)
  }

  private func expectSoon(_ connection: Connection) {
    let until = MonotonicTime.now().advanced(byNanoseconds: configuration.limits.firstFrameTimeout)
    handshakeDeadlines.append((connection.id, until))
  }

  func closeOverdue() {
    let now = handshakeDeadlines.isEmpty ? MonotonicTime.never : MonotonicTime.now()
    while let due = handshakeDeadlines.first {
      let connection = connections[due.id]
      // Those that are gone, or have done what was expected, leave at once: else they would pile up for as long as the
      // time allows.
      guard let connection, !connection.hasSpoken || connection.isClosing else {
        _ = handshakeDeadlines.popFirst()
        continue
      }
      guard due.until <= now else { return }
      _ = handshakeDeadlines.popFirst()
      drop(connection, "it sent no whole message in time, or did not read its answer")
    }
  }

  private func drop(_ connection: Connection, _ reason: String) {
    statistics.peersDropped.add()
    if connectionLines.take(connection.peer.user) {
      logger.warning(
        "connection closed", metadata: ["peer": "\(connection.peer)", "reason": "\(reason)"])
    }
    close(connection)
  }

  private func close(_ connection: Connection) {
    poller.remove(connection.socket)
    connections[connection.id] = nil
    statistics.connections.subtract()
    admission.leave(user: connection.peer.user)
    pool.cancel(user: connection.peer.user, connection: connection.id)
    callsInFlight -= connection.inFlight.count + connection.streams.count
    for stream in connection.streams.values { statistics.addEnd(stream.method, failure: .cancelled) }
    let waiting = connection.streams.values.reduce(0) { $0 + $1.waitingBytes }
    waitingBytes.subtract(waiting, of: connection.peer.user)
  }
}

/// Takes connections, and stops for a while when the process has no descriptor left for them.
struct Listener: ~Copyable {
  static let token: UInt64 = 0
  /// Nanoseconds.
  private static let pauseLength: Int64 = 100_000_000

  private let file: SocketFile
  /// When to try again; `never` while not pausing.
  private(set) var pausedUntil = MonotonicTime.never

  /// - Parameter file: what was claimed is removed from the file system when the listener is gone.
  init(_ file: consuming SocketFile, poller: borrowing Poller) throws(Status) {
    try poller.add(file.socket, token: Self.token, for: .read)
    self.file = file
  }

  /// Hands on every connection that waits; true when it has to pause instead.
  mutating func accept(_ poller: borrowing Poller, _ take: (consuming UnixSocket) -> Void) throws(Status)
    -> Bool
  {
    while true {
      switch try file.socket.accept() {
      case .connection(let socket): take(socket)
      case .none: return false
      case .exhausted:
        // Level-triggered: left in the poller it would wake the loop without end.
        poller.remove(file.socket)
        pausedUntil = MonotonicTime.now().advanced(byNanoseconds: Self.pauseLength)
        return true
      }
    }
  }

  mutating func resumeIfDue(_ poller: borrowing Poller) throws(Status) {
    guard pausedUntil <= MonotonicTime.now() else { return }
    pausedUntil = .never
    try poller.add(file.socket, token: Self.token, for: .read)
  }

  /// Takes no more connections; see `SocketFile.stopListening`. The file stays until the listener is gone.
  mutating func stop(_ poller: borrowing Poller) {
    poller.remove(file.socket)
    pausedUntil = .never
    file.stopListening()
  }
}
