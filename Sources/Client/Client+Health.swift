public import FaceCore
import Posix
public import Wire

/// How the engine does, asked once or told as it changes.
extension Client {
  /// Whether calls are served.
  /// - Parameter service: full name, as in "faceengine.v1.Detector"; empty for the engine as a whole.
  public func health(of service: String = "") throws(Status) -> ServingStatus {
    let header = CallHeader(stream: 0, timeout: options.timeout)
    let frame = try HealthCall.requestFrame(header, service: service)
    return try call(frame, isImmediate: true) { (payload) throws(Status) in try HealthCall.response(payload) }
  }

  /// Calls `tell` with the state now and with each change, on this thread and a connection of its own, until it returns
  /// false.
  ///
  /// An engine that stops says `notServing` before it goes. Throws `unavailable` when it is gone, so that nobody knows more:
  /// watch again for the next one. Throws `cancelled`, and `deadlineExceeded` when nothing is said in the client's time.
  /// - Parameters:
  ///   - service: full name; empty for the engine as a whole. One that does not exist is `serviceUnknown`.
  ///   - canceller: ends the watch from another thread.
  public func watchHealth(
    of service: String = "", canceller: Canceller? = nil, _ tell: (ServingStatus) -> Bool
  ) throws(Status) {
    let token = CancellationToken(timeout: options.timeout, canceller: canceller)
    if token.isCancelled { throw token.failure }
    let watch = HealthWatch(link: try FramedSocket(path, until: token.deadline))
    try token.interruptible({ watch.link.socket.shutDown() }) { () throws(Status) in
      do throws(Status) {
        try watch.run(of: service, token, tell)
      } catch {
        throw token.isCancelled ? token.failure : error
      }
    }
  }
}

/// One `Health/Watch` on a connection that has nothing else.
private struct HealthWatch {
  private static let stream: UInt32 = 1
  let link: FramedSocket

  /// - Parameter token: of the first state; the next one may take for ever.
  func run(of service: String, _ token: CancellationToken, _ tell: (ServingStatus) -> Bool) throws(Status) {
    let frame = try HealthCall.watchRequestFrame(stream: Self.stream, service: service)
    do throws(ExchangeFailure) {
      try link.sendControl(frame, token)
    } catch {
      throw error.status
    }
    var reader = Reader()
    let wakeup = try Wakeup()
    var deadline = token.deadline
    while true {
      switch try reader.read(link.socket, or: wakeup, until: deadline) {
      case .frames(let frames):
        for frame in frames {
          if !tell(try state(frame)) { return }
          deadline = .never
        }
      case .nothing: throw CancellationToken.unanswered
      case .ended:
        throw Status(
          .unavailable, "the engine at \(link.path) closed the connection; watch again when it runs")
      }
    }
  }

  /// Throws why the watch has ended, when that is what the frame says.
  private func state(_ frame: Frame) throws(Status) -> ServingStatus {
    let body = frame.body.span
    if FrameType(rawValue: frame.header.type) == .data { return try HealthCall.response(body) }
    throw try ResponseEnvelope(decoding: body).failure
      ?? Status(.dataLoss, "the engine ended the watch without a reason; see that it is a FaceEngine")
  }
}
