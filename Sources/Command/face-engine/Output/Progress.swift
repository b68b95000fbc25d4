import FaceCore
import Posix
import ResultJSON

/// Shows a command's progress in one line of a terminal: the number done, the total, the rate per second, and
/// the remaining time. Prints nothing if standard error is not a terminal.
final class Progress {
  private let total: Int
  private let isShown: Bool
  private let start = MonotonicTime.now()
  private var lastShown: MonotonicTime?
  private var done = 0

  /// The least time between two updates, so that the terminal does not slow the command down.
  private static let interval: TimeSpan = .milliseconds(100)

  init(total: Int) {
    self.total = total
    isShown = total > 1 && StandardError.isTerminal
  }

  /// Counts one more as done.
  func advance() {
    done += 1
    guard isShown, done < total else { return }
    let now = MonotonicTime.now()
    if let lastShown, now - lastShown < Progress.interval { return }
    lastShown = now
    let time = max(.nanoseconds(1), now - start)
    let rate = ResultOutput.decimal(Float(Double(done) / time.seconds), places: 1)
    let left = DurationText.of(.nanoseconds(Int64(time.seconds / Double(done) * Double(total - done) * 1e9)))
    StandardError.write("\r\u{1B}[K\(done) of \(total), \(rate) a second, \(left) left")
  }

  /// Clears the line before other output.
  func clear() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }
}
