package import FaceCore
package import GatewayCoding
package import NIOCore

/// Decides which calls may begin, and records how they ended.
package struct RequestGate: Sendable {
  /// Who may make a call.
  package enum Access {
    /// Anybody: files that are the same for all.
    case open
    /// Anybody, also while the gateway stops: health checks.
    case probe
    /// Callers with a token.
    case call
    /// They, and whoever has the session's own token; `nil` for a session that does not exist.
    case session(SessionToken?)

    var isProbe: Bool { if case .probe = self { true } else { false } }
  }

  package let credentials: CredentialStore
  package let rates: RateLimiter
  package let log: AccessLog
  package let drain: DrainState
  package let counters: GatewayCounters

  package init(
    credentials: CredentialStore, rates: RateLimiter, log: AccessLog, drain: DrainState,
    counters: GatewayCounters
  ) {
    self.credentials = credentials
    self.rates = rates
    self.log = log
    self.drain = drain
    self.counters = counters
  }

  /// Throws the reason if a call may not begin.
  ///
  /// - Parameters:
  ///   - authorization: the header of that name.
  ///   - isProbeOnly: whether the connection has a place that is kept for health checks.
  ///   - caller: set to the name of the token, if it has one, also for a call that is refused.
  package func admit(
    _ peer: PeerAddress, _ authorization: String?, _ access: Access, isProbeOnly: Bool,
    _ caller: inout String?
  ) throws(CallFailure) {
    let tokens = credentials.tokens
    let name = tokens?.caller(authorization)
    if let name { caller = name }
    if drain.isDraining, !access.isProbe {
      throw CallFailure(.unavailable, "the gateway is stopping; try again when it runs")
    }
    guard tokens == nil || name != nil || Self.needsNoToken(access, authorization) else {
      throw CallFailure(
        .unauthenticated, "the call has no valid token; send the header authorization: Bearer TOKEN")
    }
    guard rates.admit(peer) else {
      throw CallFailure(
        .resourceExhausted, "too many calls a second from this address; send fewer, or raise --rate",
        .limit("rate"))
    }
    if isProbeOnly, !access.isProbe {
      throw CallFailure(
        .unavailable, "all connections are in use (--max-connections); try again later",
        .limit("connections"))
    }
  }

  private static func needsNoToken(_ access: Access, _ authorization: String?) -> Bool {
    switch access {
    case .open, .probe: true
    case .call: false
    case .session(let own): own?.matches(authorization) ?? false
    }
  }

  /// Counts and logs a call that has ended.
  ///
  /// - Parameters:
  ///   - transport: "grpc" or "http".
  ///   - status: the HTTP status; `nil` for gRPC.
  package func log(
    _ transport: String, _ name: String, _ code: StatusCode, status: Int?, since arrival: NIODeadline,
    receivedBytes: Int, sentBytes: Int, _ peer: PeerAddress, caller: String?, traceparent: String?
  ) {
    let duration = (NIODeadline.now() - arrival).nanoseconds
    counters.count(transport, code, nanoseconds: duration)
    log.write(
      AccessLog.Entry(
        transport: transport, call: name, code: code, status: status, microseconds: duration / 1000,
        receivedBytes: receivedBytes, sentBytes: sentBytes, peer: peer.host, caller: caller,
        traceparent: traceparent))
  }
}
