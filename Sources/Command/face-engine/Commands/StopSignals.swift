import FaceCore
import Posix

/// Handles SIGINT and SIGTERM. The first signal stops a command after the pictures in flight; a second one, or the end
/// of a time limit, ends the process at once.
final class StopSignals: Sendable {
  private let reader: SignalReader
  private let received = Monitor(false)

  /// Called on the main thread before there is any other.
  init() throws(Status) {
    reader = try SignalReader([.interrupt, .terminate])
  }

  /// Whether the first signal has come.
  var hasCome: Bool { received.withLock { $0 } }

  /// - Parameters:
  ///   - limit: the time from the first signal to the end of the process; `nil` for none.
  ///   - warning: printed if the process ends at once.
  ///   - stop: called by the first signal, on its own thread.
  func handle(
    limit: TimeSpan?, warning: String, _ stop: @escaping @Sendable () -> Void = {}
  ) throws(Status) {
    _ = try Thread(name: "signals") {
      self.wait(until: .never)
      self.received.withLock { $0 = true }
      stop()
      self.wait(until: limit.map { .now() + $0 } ?? .never)
      StandardError.write("face-engine: \(warning)\n")
      CurrentProcess.exitAtOnce(1)
    }
  }

  /// Returns at the next signal, or at `deadline`.
  private func wait(until deadline: MonotonicTime) {
    guard let poller = try? Poller(batch: 1), (try? poller.add(reader, token: 0, for: .read)) != nil else {
      return
    }
    while reader.next() == nil, .now() < deadline {
      try? poller.wait(until: deadline) { _ in }
    }
  }
}
