package import FaceCore
package import Posix

/// The engine's end of a connection. `SocketTransport` is the real one; a simulation has pipes in memory.
/// Used only under the event loop's lock.
package protocol Transport: AnyObject {
  func peer() throws(Status) -> Peer
  func peerGroups() throws(Status) -> [UInt32]
  /// Whether the peer has closed its end, whatever it sent before.
  var isAbandoned: Bool { get }
  /// Reads available bytes into `buffer`, which must not be empty, and the descriptors that came with them.
  func receive(
    into buffer: UnsafeMutableRawBufferPointer, _ take: (consuming Descriptor) -> Void
  ) throws(Status) -> UnixSocket.Received
  /// Writes as much of `bytes`, which must not be empty, as fits now.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Status) -> Transfer
  /// Has the event loop report readiness, as `id`.
  func watch(_ interest: Poller.Interest, as id: UInt64) throws(Status)
  /// Changes what `watch` reports.
  func change(to interest: Poller.Interest, as id: UInt64) throws(Status)
  /// Ends the reports of readiness. Nothing is read or written afterwards; releasing the transport closes it.
  func stopWatching()
}

/// The socket that connections come from. `SocketListener` is the real one.
package protocol ListeningTransport: AnyObject {
  /// Passes on a waiting connection, if there is one.
  func accept(_ handle: (any Transport) -> Void) throws(Status) -> AcceptOutcome
  /// Has the event loop report waiting connections.
  func watch() throws(Status)
  func ignore()
  /// Leaves all further connections to another process that has the socket; if none has, they fail. Called after
  /// `ignore`.
  func stopListening()
  /// Whether the file belongs to the engine, and not to a service manager.
  var isFileEngines: Bool { get }
  /// Sets whether this process has to remove the file.
  func setOwned(_ isOwned: Bool)
  /// Sends the socket along with `bytes` to the process that takes over.
  func send(to peer: any Transport, with bytes: UnsafeRawBufferPointer) throws(Status) -> Transfer
}

/// The result of an attempt to accept a connection.
package enum AcceptOutcome: Sendable {
  case accepted
  case none
  /// The process is out of descriptors or memory; the peer keeps waiting.
  case exhausted
}

/// What waits for the engine's sockets.
final class SocketPoller {
  static let listenerToken: UInt64 = 0

  let poller: Poller

  init() throws(Status) { poller = try Poller() }
}

/// A connected socket and the poller that waits for it.
final class SocketTransport: Transport {
  let socket: UnixSocket
  private let sockets: SocketPoller

  init(_ socket: consuming UnixSocket, _ sockets: SocketPoller) {
    self.socket = socket
    self.sockets = sockets
  }

  func peer() throws(Status) -> Peer { try socket.peer() }
  func peerGroups() throws(Status) -> [UInt32] { try socket.peerGroups() }
  var isAbandoned: Bool { socket.isAbandoned }

  func receive(
    into buffer: UnsafeMutableRawBufferPointer, _ take: (consuming Descriptor) -> Void
  ) throws(Status) -> UnixSocket.Received { try socket.receive(into: buffer, take) }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Status) -> Transfer { try socket.write(bytes) }

  func watch(_ interest: Poller.Interest, as id: UInt64) throws(Status) {
    try sockets.poller.add(socket, token: id, for: interest)
  }

  func change(to interest: Poller.Interest, as id: UInt64) throws(Status) {
    try sockets.poller.change(socket, token: id, to: interest)
  }

  func stopWatching() { sockets.poller.remove(socket) }
}

/// The socket file that the engine listens at. If it was claimed, it is removed with this object.
final class SocketListener: ListeningTransport {
  private var file: SocketFile
  private let sockets: SocketPoller

  init(_ file: consuming SocketFile, _ sockets: SocketPoller) {
    self.file = file
    self.sockets = sockets
  }

  func accept(_ handle: (any Transport) -> Void) throws(Status) -> AcceptOutcome {
    switch try file.accept() {
    case .connection(let socket):
      handle(SocketTransport(socket, sockets))
      return .accepted
    case .none: return .none
    case .exhausted: return .exhausted
    }
  }

  func watch() throws(Status) {
    try sockets.poller.add(file, token: SocketPoller.listenerToken, for: .read)
  }

  func ignore() { sockets.poller.remove(file) }
  func stopListening() { file.stopListening() }
  var isFileEngines: Bool { file.isEngines }
  func setOwned(_ isOwned: Bool) { file.setOwned(isOwned) }

  func send(to peer: any Transport, with bytes: UnsafeRawBufferPointer) throws(Status) -> Transfer {
    guard let peer = peer as? SocketTransport else {
      throw Status(.internal, "this connection cannot pass a socket; please report this")
    }
    return try file.send(to: peer.socket, with: bytes)
  }
}
