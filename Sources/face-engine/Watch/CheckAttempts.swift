import FaceCore

/// When a guided check begins anew, by the time of the frames, and how its attempts ended.
struct CheckAttempts {
  /// Why a check has no end.
  static let unfinished = "the frames ended before the check did; give more of them, or look at its tips"

  /// Nanoseconds from an end to the next attempt; `nil`: there is none.
  let pause: Int64?
  /// How the last attempt ended; `nil` before the first end.
  private(set) var lastEnd: CheckState?
  /// The time of that end, until the next attempt begins.
  private var endTime: UInt64?

  init(pause: Int64?) {
    self.pause = pause
  }

  /// Whether nothing more is checked.
  var areOver: Bool { pause == nil && lastEnd != nil }

  /// To be told what came of each frame.
  mutating func frame(at time: UInt64, is state: CheckState) {
    guard state.isEnd else {
      // An engine that was away has begun anew by itself.
      endTime = nil
      return
    }
    guard endTime == nil else { return }
    (endTime, lastEnd) = (time, state)
  }

  /// Whether the next attempt begins with a frame of `time`; asked once for each, before it is searched. A clock that
  /// went back does not hold it up.
  mutating func begin(at time: UInt64) -> Bool {
    guard let pause, let end = endTime, time < end || time - end >= UInt64(pause) else { return false }
    endTime = nil
    return true
  }
}
