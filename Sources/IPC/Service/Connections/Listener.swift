import FaceCore
import Posix
import Wire

/// Accepts connections, and pauses while the process has no descriptor left for them.
struct Listener {
  private static let pauseLength: TimeSpan = .milliseconds(100)

  let transport: any ListeningTransport
  /// The time of the next attempt; `never` while not pausing.
  private(set) var pausedUntil = MonotonicTime.never
  private(set) var isStopped = false

  init(_ transport: any ListeningTransport) throws(Status) {
    self.transport = transport
    try transport.watch()
  }

  /// Passes on every waiting connection; returns true if it has to pause.
  mutating func accept(at now: MonotonicTime, _ handle: (any Transport) -> Void) throws(Status) -> Bool {
    while true {
      switch try transport.accept(handle) {
      case .accepted: continue
      case .none: return false
      case .exhausted:
        // The poller is level-triggered: if the socket stayed in it, the loop would wake continuously.
        transport.ignore()
        pausedUntil = now + Self.pauseLength
        return true
      }
    }
  }

  /// Sends the socket to the process that takes over, as the answer to its call.
  /// - Returns: the unsent rest of the answer.
  func send(to peer: any Transport, _ counters: EngineCounters, _ stream: UInt32) throws(Status) -> [UInt8] {
    let frame = try TakeOverCall.responseFrame(
      stream: stream, .init(ownsSocketFile: transport.isFileEngines, counters: counters))
    let transfer = try frame.span.withUnsafeBytes { (bytes) throws(Status) in
      try transport.send(to: peer, with: bytes)
    }
    guard case .bytes(let sent) = transfer else {
      throw Status(.unavailable, "the connection has no room for the answer; try again")
    }
    return Array(frame[sent...])
  }

  /// Leaves new connections to the process that takes over.
  mutating func pause() {
    if pausedUntil == .never { transport.ignore() }
    pausedUntil = .never
  }

  mutating func resumeIfDue(at now: MonotonicTime) throws(Status) {
    guard pausedUntil <= now else { return }
    pausedUntil = .never
    try transport.watch()
  }

  /// Stops accepting connections; see `SocketFile.stopListening`. The file stays until the listener ends.
  mutating func stop() {
    if isStopped { return }
    isStopped = true
    transport.ignore()
    pausedUntil = .never
    transport.stopListening()
  }
}
