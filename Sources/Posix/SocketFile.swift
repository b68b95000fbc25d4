import CPosixShims
public import FaceCore
import Glibc

/// A socket file that this process listens at.
///
/// One that was claimed belongs to it until the value is gone: a lock file beside it keeps two engines from starting at the same path; a socket file that a dead engine left is
/// cleared; at the end only the file that was made here is removed.
public struct SocketFile: ~Copyable, Sendable {
  public let path: SocketPath
  public let socket: ListeningSocket
  private let lock: LockFile?
  /// The file that is to be removed; `nil` for one of the service manager.
  private let identity: FileIdentity?

  /// Throws `alreadyExists` while another engine runs or starts at `path`, and `failedPrecondition` when something
  /// that is no socket lies there. flock(2), connect(2), unlink(2) and those of `ListeningSocket`
  public static func claim(
    _ path: SocketPath, mode: UInt32 = 0o660, group: UInt32? = nil
  ) throws(Status) -> SocketFile {
    let lock = try LockFile(
      "\(path).lock", taken: "another engine runs or starts at \(path); stop it, or choose another socket")
    try clear(path)
    let socket = try ListeningSocket(at: path, mode: mode, group: group)
    guard let identity = FileIdentity(path.description) else {
      throw Status(.aborted, "the socket at \(path) vanished while it was made; start again")
    }
    return SocketFile(path: path, socket: socket, lock: lock, identity: identity)
  }

  /// The socket that a service manager listens at for this process; `nil` when there is none. Throws as
  /// `ListeningSocket` does.
  public static func inherited() throws(Status) -> SocketFile? {
    var path: SocketPath?
    guard let socket = try ListeningSocket(inheritedAt: &path), let path else { return nil }
    return SocketFile(path: path, socket: socket, lock: nil, identity: nil)
  }

  private init(
    path: SocketPath, socket: consuming ListeningSocket, lock: consuming LockFile?, identity: FileIdentity?
  ) {
    self.path = path
    self.socket = socket
    self.lock = lock
    self.identity = identity
  }

  deinit {
    if let identity, FileIdentity(path.description) == identity { unlink(path.description) }
  }

  /// From now on connections are refused, or wait for the next process where the service manager listens on.
  public func stopListening() {
    if identity != nil { socket.stopListening() }
  }

  /// Removes the socket file that a dead engine left.
  private static func clear(_ path: SocketPath) throws(Status) {
    guard let existing = FileIdentity(path.description) else { return }
    guard existing.isSocket else {
      throw Status(
        .failedPrecondition, "\(path) exists and is not a socket; remove it, or choose another socket")
    }
    do {
      _ = try UnixSocket.connect(path, until: MonotonicTime.now().advanced(byNanoseconds: 1_000_000_000))
    } catch {
      guard error.code == ECONNREFUSED else {
        throw error.status("cannot tell whether an engine runs at \(path)")
      }
      do {
        _ = try system("unlink") { unlink(path.description) }
      } catch {
        throw error.status("cannot remove the socket that a dead engine left at \(path)")
      }
      return
    }
    throw Status(.alreadyExists, "an engine already runs at \(path); stop it, or choose another socket")
  }
}
