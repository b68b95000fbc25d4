import FaceCore
import NIOCore

/// Decides which calls may begin, and records how they ended.
struct RequestGate: Sendable {
  /// Who may make a call.
  enum Access {
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

  let token: AccessToken?
  let rates: RateLimiter
  let log: AccessLog
  let drain: DrainState
  let counters: GatewayCounters

  /// Throws the reason if a call may not begin.
  ///
  /// - Parameter authorization: the header of that name.
  func admit(_ peer: PeerAddress, _ authorization: String?, _ access: Access) throws(CallFailure) {
    if drain.isDraining, !access.isProbe {
      throw CallFailure(.unavailable, "the gateway is stopping; try again when it runs")
    }
    guard mayCall(authorization, access) else {
      throw CallFailure(
        .unauthenticated, "the call has no valid token; send the header authorization: Bearer TOKEN")
    }
    guard rates.admit(peer) else {
      throw CallFailure(
        .resourceExhausted, "too many calls a second from this address; send fewer, or raise --rate",
        .limit("rate"))
    }
  }

  private func mayCall(_ authorization: String?, _ access: Access) -> Bool {
    guard let token else { return true }
    return switch access {
    case .open, .probe: true
    case .call: token.matches(authorization)
    case .session(let own): token.matches(authorization) || own?.matches(authorization) ?? false
    }
  }

  func log(_ call: GRPCCall, _ code: StatusCode) {
    let duration = (NIODeadline.now() - call.arrival).nanoseconds
    counters.count("grpc", code, nanoseconds: duration)
    log.write(
      AccessLog.Entry(
        transport: "grpc", call: call.head.name, code: code, status: nil, microseconds: duration / 1000,
        receivedBytes: call.receivedByteCount, sentBytes: call.sentByteCount, peer: call.peer.host,
        traceparent: call.head.traceparent))
  }

  func log(
    http name: String, _ code: StatusCode, status: Int, since arrival: NIODeadline, receivedBytes: Int,
    sentBytes: Int, _ peer: PeerAddress, traceparent: String?
  ) {
    let duration = (NIODeadline.now() - arrival).nanoseconds
    counters.count("http", code, nanoseconds: duration)
    log.write(
      AccessLog.Entry(
        transport: "http", call: name, code: code, status: status, microseconds: duration / 1000,
        receivedBytes: receivedBytes, sentBytes: sentBytes, peer: peer.host, traceparent: traceparent))
  }
}

/// A secret that callers have to send.
struct AccessToken: Sendable {
  private let expected: [UInt8]

  /// Throws `invalidArgument` for a secret that is short enough to be guessed.
  init(_ secret: String) throws(Status) {
    guard secret.utf8.count >= 16 else {
      throw Status(.invalidArgument, "the token has fewer than 16 characters; make a longer one")
    }
    expected = Array("Bearer \(secret)".utf8)
  }

  /// Compares the header with the secret in constant time.
  func matches(_ header: String?) -> Bool {
    let given = Array((header ?? "").utf8)
    var difference = UInt8(given.count == expected.count ? 0 : 1)
    for index in expected.indices { difference |= expected[index] ^ (index < given.count ? given[index] : 0) }
    return difference == 0
  }
}

/// A secret that allows the use of one session, for as long as that lives.
struct SessionToken: Sendable {
  let text: String
  private let token: AccessToken

  init() {
    var random = SystemRandomNumberGenerator()
    text = (0..<2).map { _ in
      let digits = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    guard let token = try? AccessToken(text) else { preconditionFailure("it is long enough") }
    self.token = token
  }

  func matches(_ authorization: String?) -> Bool { token.matches(authorization) }
}
