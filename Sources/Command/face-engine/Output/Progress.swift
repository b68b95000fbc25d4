import FaceCore
import Posix
import ResultJSON

/// Shows a command's progress in one line of a terminal: the number done, the total, the rate per second, the
/// remaining time, and how many failed. Prints nothing if standard error is not a terminal.
final class Progress {
  private let total: Int
  private let isShown: Bool
  private let start = MonotonicTime.now()
  private var lastShown: MonotonicTime?
  private let earlier: Int
  private var done: Int
  private var failed: Int

  /// The least time between two updates, so that the terminal does not slow the command down.
  private static let interval: TimeSpan = .milliseconds(100)

  /// - Parameters:
  ///   - earlier: how many of the total an earlier run has done.
  ///   - failed: how many of these failed.
  init(total: Int, earlier: Int = 0, failed: Int = 0) {
    (self.total, self.earlier, self.failed) = (total, earlier, failed)
    done = earlier
    isShown = total > 1 && StandardError.isTerminal
  }

  /// Counts one more as done.
  func advance(hasFailed: Bool = false) {
    done += 1
    if hasFailed { failed += 1 }
    guard isShown, done < total else { return }
    let now = MonotonicTime.now()
    if let lastShown, now - lastShown < Progress.interval { return }
    lastShown = now
    let time = max(.nanoseconds(1), now - start)
    let new = Double(done - earlier)
    let rate = ResultOutput.decimal(Float(new / time.seconds), places: 1)
    let left = DurationText.of(.nanoseconds(Int64(time.seconds / new * Double(total - done) * 1e9)))
    let failures = failed > 0 ? ", \(failed) failed" : ""
    StandardError.write("\r\u{1B}[K\(done) of \(total), \(rate) a second, \(left) left\(failures)")
  }

  /// Clears the line before other output.
  func clear() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }
}
