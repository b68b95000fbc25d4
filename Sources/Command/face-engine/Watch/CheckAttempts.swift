import FaceCore

/// Decides when a guided check starts again, by the time of the frames, and keeps how its attempts ended.
struct CheckAttempts {
  /// Why a check has no end.
  static let unfinished = "the frames ended before the check did; give more of them, or look at its tips"

  /// Nanoseconds from an end to the next attempt; `nil`: there is none.
  let pause: Int64?
  /// How the last attempt ended; `nil` before the first end.
  private(set) var lastEnd: CheckState?
  /// The time of that end, until the next attempt starts.
  private var endTime: UInt64?

  init(pause: Int64?) {
    self.pause = pause
  }

  /// Whether nothing more is checked.
  var areOver: Bool { pause == nil && lastEnd != nil }

  /// Takes note of the check's state after each frame.
  mutating func update(_ state: CheckState, at time: UInt64) {
    guard state.isEnd else {
      // An engine that was away has started again by itself.
      endTime = nil
      return
    }
    guard endTime == nil else { return }
    (endTime, lastEnd) = (time, state)
  }

  /// Starts the next attempt with a frame of `time` when it is due; called once for each, before it is searched. A clock
  /// that went back does not delay it.
  /// - Returns: whether an attempt starts.
  mutating func start(at time: UInt64) -> Bool {
    guard let pause, let end = endTime, time < end || time - end >= UInt64(pause) else { return false }
    endTime = nil
    return true
  }
}
