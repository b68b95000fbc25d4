import CPosixShims
public import FaceCore
import Glibc

/// A Unix stream socket that accepts connections. unix(7)
public struct ListeningSocket: ~Copyable, Sendable, Pollable {
  package let descriptor: Descriptor
  public var pollableDescriptor: Int32 { descriptor.raw }

  /// The result of an attempt to accept a connection.
  public enum Accepted: ~Copyable {
    case connection(UnixSocket)
    /// No connection is waiting.
    case none
    /// The process or the machine is out of descriptors or memory; the peer keeps waiting.
    case exhausted
  }

  /// Listens at `path`, where nothing may exist yet.
  /// - Parameters:
  ///   - mode: permissions of the socket file; connecting needs write permission.
  ///   - group: the group of the file; `nil` for the process's own.
  /// socket(2), bind(2), fchownat(2), fchmodat(2), listen(2)
  public init(at path: SocketPath, mode: UInt32, group: UInt32? = nil) throws(Status) {
    do {
      let descriptor = try UnixSocket.open()
      _ = try system("fcntl") { [raw = descriptor.raw] in face_posix_set_nonblocking(raw) }
      // On Linux the file gets the mode of the unbound socket, less the umask: at no moment is it open to
      // more than `mode`, or to another group. chmod then restores what the umask removed.
      let first = group == nil ? mode : mode & ~0o070
      _ = try system("fchmod") { [raw = descriptor.raw] in fchmod(raw, first) }
      let (folderPath, name) = path.folderAndName
      let folder = Descriptor(
        owning: try system("open") { face_posix_open_folder(folderPath.cPath) })
      _ = try path.withAddress { (address, size) throws(SystemError) in
        try system("bind") { [raw = descriptor.raw] in bind(raw, address, size) }
      }
      // By now another user may have put a link there: links are not followed.
      if let group {
        _ = try system("fchownat") { [raw = folder.raw] in
          fchownat(raw, name.cPath, .max, group, Int32(AT_SYMLINK_NOFOLLOW))
        }
      }
      _ = try system("fchmodat") { [raw = folder.raw] in
        fchmodat(raw, name.cPath, mode, Int32(AT_SYMLINK_NOFOLLOW))
      }
      _ = try system("listen") { [raw = descriptor.raw] in listen(raw, SOMAXCONN) }
      self.descriptor = descriptor
    } catch {
      // Before Linux 6.6 and glibc 2.39, glibc changes the mode through /proc.
      guard error.code != EOPNOTSUPP else {
        throw Status(
          .failedPrecondition,
          "cannot listen at \(path): setting a socket's permissions needs /proc; mount it")
      }
      throw error.status("cannot listen at \(path)")
    }
  }

  /// Listens at a socket that another process has sent. Throws `failedPrecondition` unless it is a socket
  /// that listens at a path.
  init(received descriptor: consuming Descriptor) throws(Status) {
    var name = [CChar](repeating: 0, count: face_posix_longest_path() + 1)
    guard face_posix_listening_path(descriptor.raw, &name) == 0 else {
      throw Status(
        .failedPrecondition,
        "the running engine did not hand over a listening socket; stop it, and start another one")
    }
    self.descriptor = descriptor
  }

  init(owning descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }

  /// Accepts a waiting connection, if there is one. accept4(2)
  public func accept() throws(Status) -> Accepted {
    while true {
      do {
        let raw = try system("accept4") { face_posix_accept(descriptor.raw) }
        return .connection(UnixSocket(Descriptor(owning: raw)))
      } catch {
        switch error.code {
        case EAGAIN, EWOULDBLOCK: return .none
        case ECONNABORTED: continue
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
        default: throw error.status("cannot accept a connection")
        }
      }
    }
  }
}
