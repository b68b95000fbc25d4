import FaceCore

/// Measures how long the face has been right. Short interruptions neither reset it nor count.
struct HoldTimer {
  private let needed: TimeSpan
  private let grace: TimeSpan
  private var held = TimeSpan.zero
  /// The time of the last frame in which it was right.
  private var lastRight: TimeSpan?
  private var isInterrupted = false

  init(needed: TimeSpan, grace: TimeSpan) {
    self.needed = needed
    self.grace = grace
  }

  mutating func recordRight(at now: TimeSpan) {
    if let lastRight, !isInterrupted { held += now - lastRight }
    lastRight = now
    isInterrupted = false
  }

  /// - Returns: whether the timer was reset.
  mutating func recordWrong(at now: TimeSpan) -> Bool {
    isInterrupted = true
    guard let lastRight, now - lastRight <= grace else {
      self = HoldTimer(needed: needed, grace: grace)
      return true
    }
    return false
  }

  var isDone: Bool { lastRight != nil && !isInterrupted && held >= needed }

  /// The elapsed part of the required time, 0…1.
  var progress: Float {
    guard needed > .zero else { return lastRight == nil ? 0 : 1 }
    return min(Float(held.seconds / needed.seconds), 1)
  }
}

/// The tip on display: replaced only after it was shown long enough to be read.
struct TipDisplay {
  private let leastTime: TimeSpan
  private(set) var shown = Tip.prompt
  private var since: TimeSpan?

  init(leastTime: TimeSpan) {
    self.leastTime = leastTime
  }

  /// - Parameter atOnce: replaces the one before, however briefly it was shown.
  /// - Returns: whether the tip on display has changed.
  mutating func show(_ tip: Tip, at now: TimeSpan, atOnce: Bool = false) -> Bool {
    if let since {
      guard tip != shown, atOnce || now - since >= leastTime else { return false }
    }
    shown = tip
    since = now
    return true
  }
}
