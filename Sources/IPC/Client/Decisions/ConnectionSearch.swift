package import FaceCore

/// Decides who connects to the engine, and when, without thread, clock and socket.
///
/// One caller connects while the others wait for the outcome. If no engine listens, that takes some
/// microseconds: each call tries, and fails at once with the reason. An engine that refuses the connection is
/// left alone for a while (see `Backoff`), during which calls fail with its reason.
package struct ConnectionSearch<Connection> {
  package enum Step {
    case use(Connection)
    /// Connect, then call `finish`.
    case connect
    case fail(Status)
    /// Wait until another caller has connected, or has failed to.
    case wait
  }

  /// A caller that wants a connection.
  package struct Caller {
    /// The number of failures when it came.
    fileprivate var failures: UInt64?
    package init() {}
  }

  private var connection: Connection?
  private var isConnecting = false
  private var backoff = Backoff()
  /// The failure of the last attempt, until one succeeds.
  private var failure: Status?
  /// The number of failed attempts.
  private var failures: UInt64 = 0
  private var nextAttempt = MonotonicTime(nanoseconds: 0)

  package init() {}

  package mutating func step(
    of caller: inout Caller, at now: MonotonicTime, isCancelled: Bool, isUsable: (Connection) -> Bool
  ) -> Step {
    if let connection, isUsable(connection) { return .use(connection) }
    if isCancelled { return .fail(Canceller.status) }
    let isNews = caller.failures.map { $0 != failures } ?? false
    caller.failures = failures
    if let failure, isNews || now < nextAttempt { return .fail(failure) }
    if isConnecting { return .wait }
    isConnecting = true
    return .connect
  }

  /// Ends an attempt; all callers that wait take their next step.
  /// - Parameters:
  ///   - isCallers: whether the failure is the caller's, who ran out of time or has cancelled.
  ///   - wasRefused: whether an engine was there.
  /// - Returns: the connection before this one.
  package mutating func finish(
    _ outcome: Result<Connection, Status>, isCallers: Bool, wasRefused: Bool, at now: MonotonicTime,
    _ random: inout some RandomNumberGenerator
  ) -> Connection? {
    defer { connection = try? outcome.get() }
    isConnecting = false
    switch outcome {
    case .success:
      failure = nil
      backoff = Backoff()
    case .failure(let reason):
      guard !isCallers else { break }
      failure = reason
      failures += 1
      nextAttempt = now + (wasRefused ? backoff.nextPause(afterRefusal: true, &random) : .zero)
    }
    return connection
  }
}

/// Decides whether a call is made again. A restart of the engine is noticed only by a call, and an engine that
/// stops says which calls it does not serve.
package struct Retries {
  /// Up to so many engines may take each other's place during one call.
  package static let most = 8

  private var attempts = 0

  package init() {}

  /// Whether the call is made once more, on a new connection.
  package mutating func continues(after failure: ExchangeFailure) -> Bool {
    attempts += 1
    guard case .unsent = failure else { return false }
    return attempts < Self.most
  }
}

/// The pauses between attempts to connect. Up to half of each pause is subtracted at random, so that many
/// clients do not connect at the same moment.
package struct Backoff: Sendable {
  /// The pause if no engine listens: attempts are so cheap that a returning engine can be
  /// found within 10 ms, so that a camera has faces again within 50.
  private static let away: TimeSpan = .milliseconds(10)
  /// The pause after the first refusal; it doubles with each further one.
  private static let first: TimeSpan = .milliseconds(50)
  private static let longest: TimeSpan = .seconds(2)

  private var next = Backoff.first

  package init() {}

  /// The time from a failed attempt to the next one.
  /// - Parameter afterRefusal: whether an engine refused the connection.
  package mutating func nextPause(
    afterRefusal: Bool, _ random: inout some RandomNumberGenerator
  ) -> TimeSpan {
    let pause = afterRefusal ? next : Self.away
    next = afterRefusal ? min(next * 2, Self.longest) : Self.first
    return .nanoseconds(.random(in: pause.nanoseconds / 2...pause.nanoseconds, using: &random))
  }
}
