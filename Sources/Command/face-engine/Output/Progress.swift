import FaceCore
import Posix
import Presentation

/// Shows the progress of a command in one line of a terminal: how many of how many, how many a second, and the time left.
/// Prints nothing if standard error is not a terminal.
final class Progress {
  private let total: Int
  private let isShown: Bool
  private let start = MonotonicTime.now()
  private var lastShown: MonotonicTime?
  private var done = 0

  /// So that the terminal is no reason to be slow.
  private static let interval: Int64 = 100_000_000

  init(total: Int) {
    self.total = total
    isShown = total > 1 && StandardError.isTerminal
  }

  /// One more is done.
  func advance() {
    done += 1
    guard isShown, done < total else { return }
    let now = MonotonicTime.now()
    if let lastShown, now.nanoseconds - lastShown.nanoseconds < Progress.interval { return }
    lastShown = now
    let time = max(1, now.nanoseconds - start.nanoseconds)
    let rate = ResultOutput.decimal(Float(Double(done) * 1e9 / Double(time)), places: 1)
    let left = DurationText.of(Int64(Double(time) / Double(done) * Double(total - done)))
    StandardError.write("\r\u{1B}[K\(done) of \(total), \(rate) a second, \(left) left")
  }

  /// Clears the line before other output.
  func clear() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }
}
