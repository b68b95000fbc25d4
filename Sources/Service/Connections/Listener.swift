import FaceCore
import Posix

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
