import FaceCore
import Posix

/// Makes the one connection that a client's calls share, and makes it again when it is lost.
///
/// One caller connects and the others wait for the outcome. After a failure the next attempt is made after a pause (see
/// `Backoff`): a call whose deadline allows it waits for that, any other fails at once with the failure's reason.
final class Connector: Sendable {
  private struct State {
    var owner = CurrentProcess.id
    var connection: ClientConnection?
    var isConnecting = false
    var backoff = Backoff()
    /// Of the last attempt, until one succeeds.
    var failure: Status?
    /// Attempts that failed.
    var failures: UInt64 = 0
    var nextAttempt = MonotonicTime(nanoseconds: 0)
  }

  private enum Step {
    case use(ClientConnection)
    case connect
    case pause(MonotonicTime)
  }

  private let address: EngineAddress
  private let state = Monitor(State())
  private let changed = Condition()

  init(_ address: EngineAddress) {
    self.address = address
  }

  /// A connection on which a call may be made.
  func connection(_ token: CancellationToken) throws(Status) -> ClientConnection {
    let failures = state.withLock { state in state.failures }
    while true {
      switch try nextStep(since: failures, token) {
      case .use(let connection): return connection
      case .connect: return try connect(token)
      case .pause(let end):
        _ = token.until(end).wait(in: state, for: changed) { state -> Bool? in
          state.failures != failures || state.connection?.isUsable == true ? true : nil
        }
      }
    }
  }

  /// - Parameter failures: how many there were at the time of the call; a later one ends the call as well.
  private func nextStep(since failures: UInt64, _ token: CancellationToken) throws(Status) -> Step {
    let step = try token.wait(in: state, for: changed) { (state) throws(Status) -> Step? in
      if state.owner != CurrentProcess.id { state = State() }
      if let connection = state.connection, connection.isUsable { return .use(connection) }
      if token.isCancelled { throw token.failure }
      if let failure = state.failure {
        guard state.failures == failures, state.nextAttempt < token.deadline else { throw failure }
        if MonotonicTime.now() < state.nextAttempt { return .pause(state.nextAttempt) }
      }
      if state.isConnecting { return nil }
      state.isConnecting = true
      return .connect
    }
    guard let step else { throw token.failure }
    return step
  }

  private func connect(_ token: CancellationToken) throws(Status) -> ClientConnection {
    let outcome = attempt { () throws(Status) in try ClientConnection(address, token) }
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
        state.nextAttempt = MonotonicTime.now().advanced(byNanoseconds: state.backoff.nextPause())
      }
      return old
    }
    changed.wakeAll()
    return try withExtendedLifetime(old) { () throws(Status) in try outcome.get() }
  }
}

/// The pauses between attempts to connect: 50 ms, and twice as long after each failure up to 2 s. A random part of up to a
/// half is subtracted, so that many clients do not come at the same moment.
struct Backoff: Sendable {
  private static let first: Int64 = 50_000_000
  private static let longest: Int64 = 2_000_000_000

  private var next = Backoff.first

  /// Nanoseconds from an attempt that failed to the next one.
  mutating func nextPause() -> Int64 {
    defer { next = min(2 * next, Self.longest) }
    return Int64.random(in: next / 2...next)
  }
}
