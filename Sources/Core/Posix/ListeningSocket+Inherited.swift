import CPosixShims
import FaceCore
import Glibc

extension ListeningSocket {
  /// The first descriptor that a service manager passes. sd_listen_fds(3)
  private static let firstInherited: Int32 = 3

  /// Takes over the socket that a service manager listens at and passed to this process; `nil` when it did
  /// not.
  ///
  /// Clears the environment variables that announce it, so that no child takes the descriptor for its own.
  /// Throws `failedPrecondition` when something else was passed. Source: sd_listen_fds(3)
  init?(inheritedAt path: inout SocketPath?) throws(Status) {
    guard let process = Environment.value("LISTEN_PID"), Int32(process) == getpid() else { return nil }
    let count = Environment.value("LISTEN_FDS").flatMap(Int.init) ?? 0
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
    guard count != 0 else { return nil }
    var name = [CChar](repeating: 0, count: face_posix_longest_path() + 1)
    guard count == 1, face_posix_listening_path(Self.firstInherited, &name) == 0 else {
      throw Status(
        .failedPrecondition,
        "the service manager did not pass exactly one stream socket that listens at a path; "
          + "give this service one socket unit with one ListenStream="
      )
    }
    let descriptor = Descriptor(owning: Self.firstInherited)
    do {
      _ = try system("fcntl") { [raw = descriptor.raw] in face_posix_set_close_on_exec(raw) }
      _ = try system("fcntl") { [raw = descriptor.raw] in face_posix_set_nonblocking(raw) }
    } catch {
      throw error.status("cannot use the socket of the service manager")
    }
    path = try SocketPath(String(path: name))
    self.init(owning: descriptor)
  }
}
