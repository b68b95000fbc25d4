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
    /// Whether it needs no token.
    package var isOpen: Bool { if case .open = self { true } else { isProbe } }
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
  ///   - authorization: the headers of that name.
  ///   - isProbeOnly: whether the connection has a place that is kept for health checks.
  ///   - caller: gets the token, if the call has one, also if it is refused.
  package func admit(
    _ peer: PeerAddress, _ authorization: [String], _ access: Access, isProbeOnly: Bool,
    _ caller: inout Caller, at now: NIODeadline
  ) throws(CallFailure) {
    guard authorization.count <= 1 else {
      throw CallFailure(
        .invalidArgument, "the call has \(authorization.count) authorization headers; send one")
    }
    caller.version = credentials.version
    let tokens = credentials.tokens
    identify(&caller, tokens?.token(in: authorization.first), authorization.first, access)
    if drain.isDraining, !access.isProbe {
      throw CallFailure(.unavailable, "the gateway is stopping; try again when it runs")
    }
    guard tokens == nil || caller.token != nil || caller.hasSessionToken || access.isOpen else {
      throw CallFailure(
        .unauthenticated, "the call has no valid token; send the header authorization: Bearer TOKEN")
    }
    guard rates.admit(peer, at: now) else {
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

  /// Whether a call that was admitted may go on. Calls that last ask again, since tokens may have been removed.
  package func stillAdmits(_ caller: inout Caller) -> Bool {
    let version = credentials.version
    if caller.version == version { return true }
    guard credentials.allows(caller) else { return false }
    caller.version = version
    return true
  }

  /// The failure of a call whose credentials were removed.
  package static let expired = CallFailure(
    .unauthenticated, "the call's token or certificate was removed; call again with a valid one")

  /// Sets who calls: whoever has this token, or that of the session.
  private func identify(
    _ caller: inout Caller, _ token: AccessTokens.Token?, _ authorization: String?, _ access: Access
  ) {
    if let token {
      caller.token = token
      caller.name = token.name
    } else if case .session(let own?) = access, own.matches(authorization), credentials.allows(own) {
      caller.hasSessionToken = true
      caller.name = own.opener.name ?? caller.name
    }
  }

  /// Counts and logs a call that has ended.
  ///
  /// - Parameters:
  ///   - transport: "grpc" or "http".
  ///   - status: the HTTP status; `nil` for gRPC.
  package func log(
    _ transport: String, _ name: String, _ code: StatusCode, status: Int?, since arrival: NIODeadline,
    receivedBytes: Int, sentBytes: Int, _ peer: PeerAddress, caller: Caller, traceparent: String?
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
