import Posix

/// Shows the progress of a command in one line of a terminal. Prints nothing if standard error is not a terminal.
final class Progress {
  private let total: Int
  private let isShown: Bool
  private var done = 0

  init(total: Int) {
    self.total = total
    isShown = total > 1 && StandardError.isTerminal
  }

  func advance(to name: String) {
    done += 1
    if isShown { StandardError.write("\r\u{1B}[K[\(done)/\(total)] \(name)") }
  }

  /// Clears the line before other output.
  func clear() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }
}
