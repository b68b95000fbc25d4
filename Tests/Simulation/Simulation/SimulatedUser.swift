import FaceCore
import Service

/// A call as its caller sees it.
struct SimulatedCall {
  enum State {
    case waiting, running, ended
  }

  var requestID: RequestID
  var user: Int { Int(requestID.user) }
  var state = State.waiting
  /// Since when it has been in its state.
  var since = MonotonicTime(nanoseconds: 0)
  /// The turns that it takes, as a batch does.
  var turns: Int
  /// The work of one turn, and the time between two checks of its token.
  let turnTime: TimeSpan
  let step: TimeSpan
  let deadline: MonotonicTime
  var size: Int
  /// What it needs of the memory for pictures.
  var pixels: Int
  let usesModels: Bool
  let isFrame: Bool
  /// When its caller cancelled it; `never` if the caller waits.
  var cancelled = MonotonicTime.never
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
  /// What it wants of the engine at a time.
  let most: Int
  /// The work of its longest turn.
  let longestTurn: TimeSpan
  var connections: [UInt64]
  /// Its calls that have no answer yet, in the order in which they were sent.
  var calls: [Int] = []
  var running = 0
  var waiting = 0

  var isBlocked: Bool { waiting > 0 && running == 0 }

  init(connections: [UInt64], _ random: inout SeededRandom) {
    self.connections = connections
    kind = Kind.allCases[random.pick(0...3)]
    most = kind == .quiet ? 1 : random.pick(1...20)
    longestTurn =
      switch kind {
      case .quiet: .milliseconds(30)
      case .flood: random.span(from: .milliseconds(1), to: .milliseconds(300))
      case .long: random.span(from: .milliseconds(200), to: .seconds(3))
      case .stubborn: random.span(from: .milliseconds(10), to: .seconds(4))
      }
  }

  /// A call that begins now.
  func makeCall(
    _ requestID: RequestID, at now: MonotonicTime, _ random: inout SeededRandom
  ) -> SimulatedCall {
    let step: TimeSpan =
      switch kind {
      case .quiet: .milliseconds(2)
      case .flood, .long: .milliseconds(Int64(random.pick(1...20)))
      case .stubborn: .max
      }
    let isShort = random.isLucky(oneIn: 2)
    let hasDeadline = random.isLucky(oneIn: 4)
    return SimulatedCall(
      requestID: requestID, turns: kind != .quiet && random.isLucky(oneIn: 6) ? random.pick(2...5) : 1,
      turnTime: random.span(from: isShort ? .microseconds(50) : longestTurn / 2, to: longestTurn), step: step,
      deadline: hasDeadline ? now + random.span(from: .milliseconds(1), to: .seconds(2)) : .never,
      size: random.pick(1...2000),
      pixels: random.isLucky(oneIn: 3) ? random.pick(1...100) : 0, usesModels: !random.isLucky(oneIn: 8),
      isFrame: kind != .quiet && random.isLucky(oneIn: 5))
  }

  /// The time until it does something again. Now and then it is away.
  func pause(_ random: inout SeededRandom) -> TimeSpan {
    switch kind {
    case .quiet: random.span(from: .milliseconds(1), to: .milliseconds(200))
    case .flood where random.isLucky(oneIn: 400), .long where random.isLucky(oneIn: 30),
      .stubborn where random.isLucky(oneIn: 30):
      random.span(from: .milliseconds(100), to: .seconds(10))
    case .flood: random.span(from: .microseconds(10), to: .milliseconds(10))
    case .long, .stubborn: random.span(from: .milliseconds(1), to: .seconds(2))
    }
  }
}
