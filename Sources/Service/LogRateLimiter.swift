package import FaceCore

/// Lets only so many lines a second be written about what one user does, so that nobody can fill the disk, and counts
/// those left out.
package struct LogRateLimiter {
  private struct Second {
    let end: MonotonicTime
    var lines = 0
    var leftOut = 0
  }

  private static let length: Int64 = 1_000_000_000
  private let linesPerSecond: Int
  private var seconds: [UInt32: Second] = [:]

  package init(linesPerSecond: Int) {
    self.linesPerSecond = linesPerSecond
  }

  /// Whether a line about `user` may be written now.
  package mutating func take(_ user: UInt32, _ now: MonotonicTime = .now()) -> Bool {
    var second = seconds[user] ?? Second(end: now.advanced(byNanoseconds: Self.length))
    // One that is over stays until its count was told.
    if second.end <= now, second.leftOut == 0 {
      second = Second(end: now.advanced(byNanoseconds: Self.length))
    }
    defer { seconds[user] = second }
    if second.lines < linesPerSecond, second.leftOut == 0 {
      second.lines += 1
      return true
    }
    second.leftOut += 1
    return false
  }

  /// When a count is to be told next.
  package var nextEnd: MonotonicTime {
    seconds.values.lazy.filter { $0.leftOut > 0 }.map(\.end).min() ?? .never
  }

  /// The users of whom lines were left out in a second that is over, and how many; each is told once.
  package mutating func ended(_ now: MonotonicTime = .now()) -> [(user: UInt32, leftOut: Int)] {
    var told: [(user: UInt32, leftOut: Int)] = []
    for (user, second) in seconds where second.end <= now {
      if second.leftOut > 0 { told.append((user, second.leftOut)) }
      seconds[user] = nil
    }
    return told
  }
}
