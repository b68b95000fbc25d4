import FaceCore
package import GatewayCoding

/// Limits the bytes of requests that the gateway holds for all its clients, of both servers: partly received ones, and
/// those that the engine has not taken or answered yet. Used on the event loop.
package final class RequestBudget {
  package static let most = 512 << 20

  package var used = 0

  package init() {}

  package var isExceeded: Bool { used > Self.most }

  package var failure: CallFailure {
    CallFailure(
      .resourceExhausted,
      "requests that are not answered yet take \(Self.most >> 20) MiB here, as much as may; try again later",
      .limit("gateway_request_bytes"))
  }
}
