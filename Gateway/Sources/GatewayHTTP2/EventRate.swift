import NIOCore

/// Counts events and detects when there are too many in a period.
struct EventRate {
  private let most: Int
  private let window: TimeAmount
  private var counted = 0
  private var start = NIODeadline.now()

  init(most: Int, in window: TimeAmount) {
    self.most = most
    self.window = window
  }

  /// Counts an event; returns `false` if it is one too many.
  mutating func count() -> Bool {
    counted += 1
    if counted <= most { return true }
    let now = NIODeadline.now()
    if now - start <= window { return false }
    start = now
    counted = 1
    return true
  }
}
