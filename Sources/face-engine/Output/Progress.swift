import Posix

/// One line that tells a person watching a terminal how far a command is; nothing elsewhere.
final class Progress {
  private let total: Int
  private let isShown: Bool
  private var done = 0

  init(total: Int) {
    self.total = total
    isShown = total > 1 && StandardError.isTerminal
  }

  func begin(_ name: String) {
    done += 1
    if isShown { StandardError.write("\r\u{1B}[K[\(done)/\(total)] \(name)") }
  }

  /// Makes room for other output.
  func clear() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }
}
