import FaceCore
import Posix

/// Handles SIGINT and SIGTERM. The first signal ends a watch after the frames in flight; a second one, or 2
/// s, ends the process at once, since the reader of the results may have stopped reading.
final class WatchSignals: Sendable {
  private static let timeout: TimeSpan = .seconds(2)

  private let reader: SignalReader

  /// Called on the main thread before there is any other.
  init() throws(Status) {
    reader = try SignalReader([.interrupt, .terminate])
  }

  /// - Parameter stop: called by the first signal, on its own thread.
  func handle(_ stop: @escaping @Sendable () -> Void) throws(Status) {
    _ = try Thread(name: "signals") {
      self.wait(until: .never)
      stop()
      self.wait(until: .now() + WatchSignals.timeout)
      StandardError.write("face-engine: stopped before all frames were searched\n")
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
