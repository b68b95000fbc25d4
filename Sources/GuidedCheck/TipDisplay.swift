import FaceCore

/// The tip that is shown: another one only after it was there long enough to be read.
struct TipDisplay {
  private let leastTime: Int64
  private(set) var shown = Tip.prompt
  private var since: Int64?

  init(leastTime: Int64) {
    self.leastTime = leastTime
  }

  /// - Parameter atOnce: however long the one before was shown.
  /// - Returns: whether another tip is shown now, or the first.
  mutating func show(_ tip: Tip, at now: Int64, atOnce: Bool = false) -> Bool {
    if let since {
      guard tip != shown, atOnce || now - since >= leastTime else { return false }
    }
    shown = tip
    since = now
    return true
  }
}
