import FaceCore
import Posix

/// Makes the connection that a client's calls share, and makes it again if it is lost.
///
/// One caller connects while the others wait for the outcome. If no engine listens, that takes some
/// microseconds: each call tries, and fails at once with the reason. An engine that refuses the connection is
/// left alone for a while (see `Backoff`), during which calls fail with its reason.
final class Connector: Sendable {
  private struct State {
    var owner = CurrentProcess.id
    var connection: ClientConnection?
    var isConnecting = false
    var backoff = Backoff()
    /// The failure of the last attempt, until one succeeds.
    var failure: Status?
    /// The number of failed attempts.
    var failures: UInt64 = 0
    var nextAttempt = MonotonicTime(nanoseconds: 0)
  }

  private enum Step {
    case use(ClientConnection)
    case connect
  }

  private let address: EngineAddress
  private let state = Monitor(State())
  private let changed = Condition()

  init(_ address: EngineAddress) {
    self.address = address
  }

  /// A connection on which a call may be made.
  func connection(_ token: CancellationToken) throws(Status) -> ClientConnection {
    switch try nextStep(token) {
    case .use(let connection): connection
    case .connect: try connect(token)
    }
  }

  private func nextStep(_ token: CancellationToken) throws(Status) -> Step {
    var failures: UInt64?
    let step = try token.wait(in: state, for: changed) { (state) throws(Status) -> Step? in
      if state.owner != CurrentProcess.id { state = State() }
      if let connection = state.connection, connection.isUsable { return .use(connection) }
      if token.isCancelled { throw token.failure }
      let isNews = failures.map { $0 != state.failures } ?? false
      failures = state.failures
      if let failure = state.failure, isNews || !state.nextAttempt.isPast { throw failure }
      if state.isConnecting { return nil }
      state.isConnecting = true
      return .connect
    }
    guard let step else { throw token.failure }
    return step
  }

  private func connect(_ token: CancellationToken) throws(Status) -> ClientConnection {
    var hasAnswered = false
    let outcome = attempt { () throws(Status) in
      let socket = try FramedSocket(address, token)
      hasAnswered = true
      return try ClientConnection(socket, token)
    }
    let old = state.withLock { state in
      let old = state.connection
      state.isConnecting = false
      switch outcome {
      case .success(let connection):
        state.connection = connection
        state.failure = nil
        state.backoff = Backoff()
      case .failure(let failure):
        state.connection = nil
        // The failure of a call that ran out of time, or was cancelled, is not the engine's.
        guard failure != token.failure else { break }
        state.failure = failure
        state.failures += 1
        let pause = hasAnswered ? state.backoff.nextPause(afterRefusal: true) : .zero
        state.nextAttempt = MonotonicTime.now() + pause
      }
      return old
    }
    changed.wakeAll()
    return try withExtendedLifetime(old) { () throws(Status) in try outcome.get() }
  }
}

/// The pauses between attempts to connect. Up to half of each pause is subtracted at random, so that many
/// clients do not connect at the same moment.
struct Backoff: Sendable {
  /// The pause if no engine listens: attempts are so cheap that a returning engine can be
  /// found within 10 ms, so that a camera has faces again within 50.
  private static let away: TimeSpan = .milliseconds(10)
  /// The pause after the first refusal; it doubles with each further one.
  private static let first: TimeSpan = .milliseconds(50)
  private static let longest: TimeSpan = .seconds(2)

  private var next = Backoff.first

  /// The time from a failed attempt to the next one.
  /// - Parameter afterRefusal: whether an engine refused the connection.
  mutating func nextPause(afterRefusal: Bool) -> TimeSpan {
    let pause = afterRefusal ? next : Self.away
    next = afterRefusal ? min(next * 2, Self.longest) : Self.first
    return .nanoseconds(.random(in: pause.nanoseconds / 2...pause.nanoseconds))
  }
}
