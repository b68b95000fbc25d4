import FaceCore

/// Decides, by the times of the frames, when a guided check starts again, and records how its attempts ended.
struct CheckAttempts {
  /// The message for a check without an end.
  static let unfinished = "the frames ended before the check finished; give more frames, and follow the tips"

  /// The time from an end to the next attempt; `nil` for a single attempt.
  let pause: TimeSpan?
  /// How the last attempt ended; `nil` before the first end.
  private(set) var lastEnd: CheckState?
  /// The time of that end, until the next attempt starts.
  private var endTime: UInt64?

  init(pause: TimeSpan?) {
    self.pause = pause
  }

  /// Whether there are no more attempts.
  var areOver: Bool { pause == nil && lastEnd != nil }

  /// Records the check's state after each frame.
  mutating func update(_ state: CheckState, at time: UInt64) {
    guard state.isEnd else {
      // An engine that was away starts again by itself.
      endTime = nil
      return
    }
    guard endTime == nil else { return }
    (endTime, lastEnd) = (time, state)
  }

  /// Starts the next attempt at a frame of `time` if it is due. Called once for each frame before it is
  /// searched. A clock that was set back does not delay it.
  /// - Returns: whether an attempt starts.
  mutating func start(at time: UInt64) -> Bool {
    guard let pause, let end = endTime, time < end || time - end >= UInt64(clamping: pause) else {
      return false
    }
    endTime = nil
    return true
  }
}
