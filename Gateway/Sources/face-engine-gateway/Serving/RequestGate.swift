import FaceCore
import NIOCore

/// Decides which calls may begin, and records how they ended.
struct RequestGate: Sendable {
  let token: AccessToken?
  let rates: RateLimiter
  let log: AccessLog
  let drain: DrainState
  let counters: GatewayCounters

  /// Throws the reason if a call may not begin.
  ///
  /// - Parameters:
  ///   - authorization: the header of that name.
  ///   - isProbe: whether it is a health check, which needs no token.
  func admit(_ peer: PeerAddress, authorization: String?, isProbe: Bool) throws(CallFailure) {
    if drain.isDraining, !isProbe {
      throw CallFailure(.unavailable, "the gateway is stopping; try again when it runs")
    }
    if let token, !isProbe, !token.matches(authorization) {
      throw CallFailure(
        .unauthenticated, "the call has no valid token; send the header authorization: Bearer TOKEN")
    }
    guard rates.admit(peer) else {
      throw CallFailure(
        .resourceExhausted, "too many calls a second from this address; send fewer, or raise --rate",
        .limit("rate"))
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
