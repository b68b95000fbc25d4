import CPosixShims
public import FaceCore
import Glibc

/// A socket file that this process listens at.
///
/// A claimed file belongs to this process until the value is gone: a lock file beside it keeps two engines
/// from starting at the same path; a socket file left by a dead engine is removed; at the end only the file
/// that was made here is removed.
public struct SocketFile: ~Copyable, Sendable, Pollable {
  public let path: SocketPath
  /// `nil` after `stopListening`.
  private var socket: ListeningSocket?
  private var lock: LockFile?
  /// The identity of the file; `nil` for the file of a service manager.
  private let identity: FileIdentity?
  /// Whether this process removes the file.
  private var isOwned = true

  /// Claims `path`. Throws `alreadyExists` while another engine runs or starts there, and
  /// `failedPrecondition` when something that is not a socket is there. flock(2), connect(2), unlink(2) and
  /// those of `ListeningSocket`
  public static func claim(
    _ path: SocketPath, mode: UInt32 = 0o660, group: UInt32? = nil
  ) throws(Status) -> SocketFile {
    let lock = try LockFile(
      "\(path).lock", taken: "another engine runs or starts at \(path); stop it, or choose another socket")
    try clear(path)
    let socket = try ListeningSocket(at: path, mode: mode, group: group)
    guard let identity = FileIdentity(path.description) else {
      throw Status(.aborted, "the socket at \(path) was removed while it was being made; start again")
    }
    return SocketFile(path: path, socket: socket, lock: lock, identity: identity)
  }

  /// Returns the socket that a service manager listens at for this process; `nil` when there is none. Throws
  /// as `ListeningSocket` does.
  public static func inherited() throws(Status) -> SocketFile? {
    var path: SocketPath?
    guard let socket = try ListeningSocket(inheritedAt: &path), let path else { return nil }
    return SocketFile(path: path, socket: socket, lock: nil, identity: nil)
  }

  /// Whether nothing but the socket at `path` and its lock is in their folder, which is this user's and which no
  /// other user can change. stat(2)
  public static func hasFolderOfItsOwn(_ path: String) -> Bool {
    guard let (folder, name) = try? SocketPath(path).folderAndName else { return false }
    var information = stat()
    guard stat(folder.cPath, &information) == 0, information.st_uid == geteuid(),
      information.st_mode & 0o022 == 0,
      let names = try? FileSystem.names(in: folder)
    else { return false }
    return Set(names).isSubset(of: [name, "\(name).lock"])
  }

  // MARK: Handing over

  /// Opens the folder that the socket at `path` is in, links followed, without the right to read it. open(2),
  /// O_PATH
  package static func openFolder(of path: SocketPath) throws(Status) -> Descriptor {
    let folder = folder(of: path)
    return Descriptor(
      owning: try system("open", "cannot open the folder \(folder)") { face_posix_open_folder(folder.cPath) })
  }

  /// Whether `descriptor` is the folder that the socket at `path` is in. fstat(2)
  package static func isFolder(_ descriptor: borrowing Descriptor, of path: SocketPath) -> Bool {
    var information = stat()
    return fstat(descriptor.raw, &information) == 0
      && FileIdentity("\(folder(of: path))/.") == FileIdentity(information)
  }

  private static func folder(of path: SocketPath) -> String {
    let resolved = FileSystem.resolved(path.description).flatMap { try? SocketPath($0) }
    return (resolved ?? path).folderAndName.folder
  }

  /// Whether the file belongs to the engine, and not to a service manager.
  public var isEngines: Bool { identity != nil }

  /// Sends the socket, and the lock if there is one, along with `bytes` to the process that takes over. Both
  /// processes then have them, until one disowns them. sendmsg(2), SCM_RIGHTS
  public func send(to peer: borrowing UnixSocket, with bytes: UnsafeRawBufferPointer) throws(Status)
    -> Transfer
  {
    let locked: Int32 =
      switch lock {
      case .some(let lock): lock.raw
      case nil: -1
      }
    do {
      return .bytes(
        try system("sendmsg") { [listening = pollableDescriptor, socket = peer.descriptor.raw] in
          face_posix_send(socket, bytes.baseAddress, bytes.count, listening, locked)
        })
    } catch {
      if error.code == EAGAIN { return .notNow }
      throw error.status("cannot hand over the socket at \(path)")
    }
  }

  /// Sets whether this process removes the file and its lock, or another one.
  public mutating func setOwned(_ isOwned: Bool) {
    self.isOwned = isOwned
    lock?.setOwned(isOwned)
  }

  /// Takes the socket that another process has sent, which still owns the file.
  /// - Parameters:
  ///   - lock: `nil` where the file is a service manager's.
  ///   - isEngines: as the property.
  package static func received(
    at path: SocketPath, _ socket: consuming Descriptor, lock: consuming Descriptor?, isEngines: Bool
  ) throws(Status) -> SocketFile {
    let listening = try ListeningSocket(received: socket)
    let lockFile: LockFile?
    if let lock { lockFile = LockFile("\(path).lock", received: lock) } else { lockFile = nil }
    var file = SocketFile(
      path: path, socket: listening, lock: lockFile,
      identity: isEngines ? FileIdentity(path.description) : nil)
    file.isOwned = false
    return file
  }

  private init(
    path: SocketPath, socket: consuming ListeningSocket, lock: consuming LockFile?, identity: FileIdentity?
  ) {
    self.path = path
    self.socket = .some(consume socket)
    self.lock = lock
    self.identity = identity
  }

  deinit {
    if isOwned, let identity, FileIdentity(path.description) == identity { unlink(path.description.cPath) }
  }

  // MARK: Listening

  /// The socket's number; -1 after `stopListening`.
  public var pollableDescriptor: Int32 {
    switch socket {
    case .some(let socket): socket.descriptor.raw
    case nil: -1
    }
  }

  /// Accepts a waiting connection, if there is one. accept4(2)
  public func accept() throws(Status) -> ListeningSocket.Accepted {
    switch socket {
    case .some(let socket): try socket.accept()
    case nil: .none
    }
  }

  /// Closes this process's descriptor of the socket, which must not be in a poller. Connections wait for another
  /// process that has one; if none has, they fail. close(2)
  ///
  /// shutdown(2) would end the socket for the process that takes over, too.
  public mutating func stopListening() { socket = nil }

  /// Removes the socket file left by a dead engine.
  private static func clear(_ path: SocketPath) throws(Status) {
    guard let existing = FileIdentity(path.description) else { return }
    guard existing.isSocket else {
      throw Status(
        .failedPrecondition, "\(path) exists and is not a socket; remove it, or choose another socket")
    }
    do {
      _ = try UnixSocket.connect(path, until: MonotonicTime.now() + .seconds(1))
    } catch {
      guard error.code == ECONNREFUSED else {
        throw error.status("cannot tell whether an engine runs at \(path)")
      }
      do {
        _ = try system("unlink") { unlink(path.description.cPath) }
      } catch {
        throw error.status("cannot remove the socket that an engine left at \(path)")
      }
      return
    }
    throw Status(.alreadyExists, "an engine already runs at \(path); stop it, or choose another socket")
  }
}
