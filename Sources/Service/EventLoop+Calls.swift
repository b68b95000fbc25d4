import FaceCore
import Logging
import Posix
import Wire

/// What happens to calls: they are let in or refused, and answered.
extension EventLoop {
  func handle(_ event: FrameParser.Event, from connection: Connection) {
    switch event {
    case .frame(let frame):
      connection.hasSpoken = true
      do throws(Status) {
        try begin(frame, from: connection)
      } catch {
        refuse(frame.header, of: connection, error)
      }
    case .oversized(let header):
      refuse(header, of: connection, oversized(header))
    case .implausible(let header):
      refuse(header, of: connection, oversized(header))
      closeWhenSent(connection)
    }
  }

  private func oversized(_ header: FrameHeader) -> Status {
    Status(
      .resourceExhausted,
      "the message has \(header.length) bytes and this engine takes \(configuration.limits.messageBytes); "
        + "send the image as JPEG or PNG, or scale it down")
  }

  /// Throws what the caller is told when the call cannot even begin.
  private func begin(_ frame: Frame, from connection: Connection) throws(Status) {
    try check(frame.header, of: connection)
    if let refusal = connection.refusal {
      closeWhenSent(connection)
      return refuse(frame.header, of: connection, refusal, method(of: frame))
    }
    let envelope = try RequestEnvelope(decoding: frame.body.span)
    let method = try Method(service: envelope.service, name: envelope.method)
    let arrival = MonotonicTime.now()
    let call = Call(
      caller: connection.peer, stream: frame.header.stream, method: method, body: frame.body,
      payload: envelope.payload,
      arrival: arrival,
      deadline: envelope.timeout == 0 ? .never : arrival.advanced(byNanoseconds: envelope.timeout))
    do throws(Status) {
      try begin(call, from: connection)
    } catch {
      refuse(frame.header, of: connection, error, method)
    }
  }

  private func begin(_ call: Call, from connection: Connection) throws(Status) {
    let method = call.method
    if method == .healthWatch { return try beginWatch(call, from: connection) }
    if method.isImmediate {
      return answer(connection, harness.answer(call), method, call.stream)
    }
    guard drainDeadline == nil else {
      throw Status(.unavailable, "the engine is stopping; try again when it runs")
    }
    guard connection.inFlight.count < configuration.limits.callsPerConnection else {
      throw Status(
        .resourceExhausted,
        "this connection has \(connection.inFlight.count) calls in flight, as many as it may; wait for an answer"
      )
    }
    try pool.submit(Job(connection: connection.id, call: call))
    connection.inFlight.insert(call.stream)
    callsInFlight += 1
  }

  /// For the log: what a request asked for that is refused whatever it asks for.
  private func method(of frame: Frame) -> Method? {
    guard let envelope = try? RequestEnvelope(decoding: frame.body.span) else { return nil }
    return try? Method(service: envelope.service, name: envelope.method)
  }

  private func check(_ header: FrameHeader, of connection: Connection) throws(Status) {
    let stream = header.stream
    switch FrameType(rawValue: header.type) {
    case .request: break
    case .data:
      throw Status(.invalidArgument, "no stream \(stream) is open; begin it with a request")
    case .response:
      // An answer to that might be sent back for ever.
      closeWhenSent(connection)
      throw Status(.invalidArgument, "only the engine sends responses; send requests")
    default:
      throw Status(.unimplemented, "there is no frame type \(header.type); this engine takes requests")
    }
    guard stream % 2 == 1 else {
      throw Status(.invalidArgument, "stream \(stream) is even; a client's streams have odd numbers")
    }
    guard !connection.inFlight.contains(stream), connection.healthWatches[stream] == nil else {
      // The refusal looks like the answer to the call that runs, so this peer can no longer tell them apart.
      closeWhenSent(connection)
      throw Status(.invalidArgument, "stream \(stream) is in use; take a new number for each call")
    }
    guard !header.flags.contains(.remoteOpen) else {
      throw Status(.unimplemented, "this engine has no calls that stream; send one whole request")
    }
    guard header.flags.subtracting(.remoteClosed).isEmpty else {
      throw Status(.invalidArgument, "the request has unknown flags \(header.flags.rawValue); send 0")
    }
  }

  /// A worker is done with a call.
  func finish(_ completion: Completion) {
    // The peer may be gone by now.
    guard let connection = connections[completion.connection] else { return }
    connection.inFlight.remove(completion.stream)
    callsInFlight -= 1
    if completion.method == .reloadModel, completion.answer.failure == nil {
      logger.notice("models reloaded", metadata: ["peer": "\(connection.peer)"])
    }
    answer(connection, completion.answer, completion.method, completion.stream)
    flush(connection)
  }

  private func answer(_ connection: Connection, _ answer: Answer, _ method: Method, _ stream: UInt32) {
    statistics.add(method, failure: answer.failure?.code, timing: answer.timing)
    if let failure = answer.failure { log(connection, failure, method: method.fullName) }
    connection.send(answer.frame)
  }

  /// - Parameter method: `nil` when the request does not say.
  private func refuse(
    _ header: FrameHeader, of connection: Connection, _ status: Status, _ method: Method? = nil
  ) {
    if let method { statistics.add(method, failure: status.code, timing: nil) }
    log(connection, status, method: method?.fullName ?? "-")
    connection.send(FailedCall.responseFrame(stream: header.stream, status))
  }

  private func log(_ connection: Connection, _ status: Status, method: String) {
    logger.notice(
      "call refused",
      metadata: [
        "peer": "\(connection.peer)", "method": "\(method)", "status": "\(status.code.name)",
        "reason": "\(status.message)",
      ])
  }
}
