public import FaceCore
import Posix
public import Wire

/// Queries of the engine's health, once or with each change.
extension Client {
  /// Returns whether calls are served.
  /// - Parameter service: the full name, as in "faceengine.v1.Detector"; empty for the engine as a whole.
  public func health(of service: String = "") throws(Status) -> ServingStatus {
    let header = CallHeader(stream: 0, timeout: options.timeout)
    let frame = try HealthCall.requestFrame(header, service: service)
    return try call(frame, isImmediate: true) { (payload) throws(Status) in try HealthCall.response(payload) }
  }

  /// Calls `notify` with the current state and with each change, on this thread and a connection of its own,
  /// until it returns false.
  ///
  /// An engine that stops is `notServing` before it ends. Throws `unavailable` when it is gone; watch again
  /// to find the next one. Throws `cancelled`, and `deadlineExceeded` if the first state does not come within
  /// the client's timeout.
  /// - Parameters:
  ///   - service: the full name; empty for the engine as a whole. A name that does not exist is
  ///     `serviceUnknown`.
  ///   - canceller: ends the watch from another thread.
  public func watchHealth(
    of service: String = "", canceller: Canceller? = nil, _ notify: (ServingStatus) -> Bool
  ) throws(Status) {
    let token = CancellationToken(timeout: options.timeout, canceller: canceller)
    if token.isCancelled { throw token.failure }
    let watch = HealthWatch(socket: try FramedSocket(address, token))
    try token.interruptible({ watch.socket.unixSocket.shutDown() }) { () throws(Status) in
      do throws(Status) {
        try watch.run(of: service, token, notify)
      } catch {
        throw token.isCancelled ? token.failure : error
      }
    }
  }
}

/// A `Health/Watch` on a connection of its own.
private struct HealthWatch {
  private static let stream: UInt32 = 1
  let socket: FramedSocket

  /// - Parameter token: limits the wait for the first state; later ones have no deadline.
  func run(of service: String, _ token: CancellationToken, _ notify: (ServingStatus) -> Bool) throws(Status) {
    let frame = try HealthCall.watchRequestFrame(stream: Self.stream, service: service)
    do throws(ExchangeFailure) {
      try socket.sendControl(frame, token)
    } catch {
      throw error.status
    }
    var reader = FrameReader()
    let wakeup = try Wakeup()
    var deadline = token.deadline
    while true {
      switch try reader.read(socket.unixSocket, or: wakeup, until: deadline) {
      case .frames(let frames):
        for frame in frames {
          if !notify(try state(frame)) { return }
          deadline = .never
        }
      case .nothing: throw CancellationToken.unanswered
      case .ended:
        throw Status(
          .unavailable, "the engine at \(socket.path) closed the connection; watch again when it runs")
      }
    }
  }

  /// The state in a frame; throws the reason if the frame ends the watch.
  private func state(_ frame: Frame) throws(Status) -> ServingStatus {
    let body = frame.body.span
    if FrameType(rawValue: frame.header.type) == .data { return try HealthCall.response(body) }
    throw try ResponseEnvelope(decoding: body).failure
      ?? Status(.dataLoss, "the engine ended the watch without a reason; see that it is a FaceEngine")
  }
}
