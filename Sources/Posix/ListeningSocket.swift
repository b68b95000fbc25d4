import CPosixShims
public import FaceCore
import Glibc

/// A Unix stream socket that takes connections. unix(7)
public struct ListeningSocket: ~Copyable, Sendable, Pollable {
  package let descriptor: Descriptor
  public var pollableDescriptor: Int32 { descriptor.raw }

  /// What an attempt to take a connection gave.
  public enum Accepted: ~Copyable {
    case connection(UnixSocket)
    /// Nobody is waiting.
    case none
    /// The process or the machine has no descriptor or memory left; the peer goes on waiting.
    case exhausted
  }

  /// Listens at `path`, where nothing may be yet.
  /// - Parameters:
  ///   - mode: permissions of the socket file; writing is what connecting needs.
  ///   - backlog: connections that may wait to be accepted.
  /// socket(2), bind(2), chmod(2), listen(2)
  public init(at path: SocketPath, mode: UInt32, backlog: Int32 = 128) throws(Status) {
    do {
      let descriptor = try UnixSocket.open()
      _ = try system("fcntl") { [raw = descriptor.raw] in face_posix_set_nonblocking(raw) }
      // On Linux the file gets the mode of the unbound socket, less the umask: there is no moment at which it is open
      // to more than `mode`. chmod then gives back what the umask took.
      _ = try system("fchmod") { [raw = descriptor.raw] in fchmod(raw, mode) }
      _ = try path.withAddress { (address, size) throws(SystemError) in
        try system("bind") { [raw = descriptor.raw] in bind(raw, address, size) }
      }
      _ = try system("chmod") { chmod(path.description, mode) }
      _ = try system("listen") { [raw = descriptor.raw] in listen(raw, backlog) }
      self.descriptor = descriptor
    } catch {
      throw error.status("cannot listen at \(path)")
    }
  }

  /// From now on who connects is refused; the file stays. shutdown(2)
  public func stopListening() {
    _ = shutdown(descriptor.raw, Int32(SHUT_RDWR))
  }

  /// Takes a waiting connection, if there is one. accept4(2)
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
