import FaceCore
import Service

/// A call as its caller sees it.
struct SimulatedCall {
  enum State {
    case waiting, running, ended
  }

  let requestID: RequestID
  let user: Int
  var state = State.waiting
  /// Since when it has waited.
  var since = MonotonicTime(nanoseconds: 0)
  /// The turns that it takes, as a batch does.
  var turns: Int
  /// The work of one turn, and the time between two checks of its token.
  let turnTime: TimeSpan
  let step: TimeSpan
  let deadline: MonotonicTime
  let size: Int
  let isFrame: Bool
  var cancelled: MonotonicTime?
}

/// A user and what it does.
struct SimulatedUser {
  enum Kind: CaseIterable {
    /// One short call at a time.
    case quiet
    /// Many calls at a time.
    case flood
    /// Calls of seconds.
    case long
    /// Calls that do not look at their token.
    case stubborn
  }

  let kind: Kind
  var connection: UInt64
  /// Its calls that have no answer yet, in the order in which they were sent.
  var calls: [Int] = []
  var running = 0
  var waiting = 0
  /// What it wants of the engine at a time.
  let most: Int

  /// A call that begins now.
  func makeCall(
    _ requestID: RequestID, user: Int, at now: MonotonicTime, _ random: inout SeededRandom
  ) -> SimulatedCall {
    let (turnTime, step): (TimeSpan, TimeSpan) =
      switch kind {
      case .quiet: (random.span(from: .microseconds(50), to: .milliseconds(30)), .milliseconds(2))
      case .flood:
        (
          random.span(from: .microseconds(50), to: .milliseconds(300)),
          .milliseconds(Int64(random.pick(1...10)))
        )
      case .long:
        (random.span(from: .milliseconds(50), to: .seconds(3)), .milliseconds(Int64(random.pick(1...20))))
      case .stubborn: (random.span(from: .milliseconds(1), to: .seconds(4)), .max)
      }
    let hasDeadline = random.isLucky(oneIn: 4)
    return SimulatedCall(
      requestID: requestID, user: user,
      turns: kind != .quiet && random.isLucky(oneIn: 6) ? random.pick(2...5) : 1, turnTime: turnTime,
      step: step,
      deadline: hasDeadline ? now + random.span(from: .milliseconds(1), to: .seconds(2)) : .never,
      size: random.pick(1...2000), isFrame: kind != .quiet && random.isLucky(oneIn: 5))
  }
}
