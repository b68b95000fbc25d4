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
      if !header.carriesMessage { closeWhenSent(connection) }
      refuse(header, of: connection, oversized(header))
    case .implausible(let header):
      let status = Status(
        .invalidArgument, "this is no ttrpc frame: its length would be \(header.length); see PROTOCOL.md")
      refuse(header, of: connection, status)
      closeWhenSent(connection)
    }
  }

  private func oversized(_ header: FrameHeader) -> Status {
    let limit = header.carriesMessage ? configuration.limits.messageBytes : FrameHeader.maxControlLength
    return Status(
      .resourceExhausted,
      "the message has \(header.length) bytes and this engine takes \(limit); "
        + "send the image as JPEG or PNG, or scale it down",
      header.carriesMessage ? .limit("max_message_bytes") : nil)
  }

  /// Throws what the caller is told when the call cannot even begin.
  private func begin(_ frame: Frame, from connection: Connection) throws(Status) {
    if let refusal = connection.refusal {
      closeWhenSent(connection)
      return refuse(frame.header, of: connection, refusal, method(of: frame))
    }
    if let type = FrameType(rawValue: frame.header.type), type != .request, type != .response {
      return try type == .data ? data(frame, from: connection) : control(type, frame, from: connection)
    }
    try check(frame.header, of: connection)
    connection.lastStream = max(connection.lastStream, frame.header.stream)
    let envelope = try RequestEnvelope(decoding: frame.body.span)
    let method = try Method(service: envelope.service, name: envelope.method)
    let arrival = MonotonicTime.now()
    let call = Call(
      caller: connection.peer, stream: frame.header.stream, method: method, body: frame.body,
      payload: envelope.payload, buffers: connection.buffers, arrival: arrival,
      deadline: arrival.deadline(after: envelope.timeout))
    do throws(Status) {
      guard frame.header.flags.contains(.remoteOpen) == method.takesFrames else {
        throw Status(
          method.takesFrames ? .invalidArgument : .unimplemented,
          method.takesFrames
            ? "\(method.name) takes a stream of frames; open it with the flag REMOTE_OPEN"
            : "\(method.fullName) takes one whole request; send it without the flag REMOTE_OPEN")
      }
      try begin(call, from: connection)
    } catch {
      refuse(frame.header, of: connection, error, method)
    }
  }

  private func begin(_ call: Call, from connection: Connection) throws(Status) {
    let method = call.method
    if method == .healthWatch { return try beginWatch(call, from: connection) }
    if method == .hello { return try hello(call, from: connection) }
    if method.isImmediate {
      return answer(connection, callHandler.answer(call), method)
    }
    guard drainDeadline == nil else {
      throw Status(.unavailable, "the engine is stopping; try again when it runs")
    }
    if method.takesFrames { return try open(call, from: connection) }
    guard connection.inFlight.count < configuration.limits.callsPerConnection else {
      throw Status(
        .resourceExhausted,
        "this connection has \(connection.inFlight.count) calls in flight, as many as it may; wait for an answer",
        .limit("calls_per_connection")
      )
    }
    let requestID = requestID(for: call, of: connection)
    try pool.submit(Job(requestID: requestID, work: .call(call)))
    connection.inFlight[call.stream] = (requestID, method)
    callsInFlight += 1
  }

  /// For the log: what a request asked for that is refused whatever it asks for.
  private func method(of frame: Frame) -> Method? {
    guard let envelope = try? RequestEnvelope(decoding: frame.body.span) else { return nil }
    return try? Method(service: envelope.service, name: envelope.method)
  }

  func requestID(for call: Call, of connection: Connection) -> RequestID {
    nextSerial += 1
    return RequestID(
      user: connection.peer.user, connection: connection.id, stream: call.stream, serial: nextSerial)
  }

  private func check(_ header: FrameHeader, of connection: Connection) throws(Status) {
    let stream = header.stream
    switch FrameType(rawValue: header.type) {
    case .request: break
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
    guard !connection.isInUse(stream) else {
      throw Status(.invalidArgument, "stream \(stream) is in use; take a new number for each call")
    }
    guard header.flags.subtracting([.remoteClosed, .remoteOpen]).isEmpty else {
      throw Status(.invalidArgument, "the request has unknown flags \(header.flags.rawValue); send 0")
    }
  }

  /// A worker is done with a call, or with a frame of a stream.
  func finish(_ completion: Completion) {
    let requestID = completion.requestID
    // The peer may be gone by now, or have cancelled.
    guard let connection = connections[requestID.connection] else { return }
    if let stream = connection.streams[requestID.stream], stream.requestID == requestID {
      stream.finish()
      answer(connection, completion.answer, completion.method)
      advance(stream, of: connection)
    } else if connection.inFlight[requestID.stream]?.requestID == requestID {
      connection.inFlight[requestID.stream] = nil
      callsInFlight -= 1
      if completion.method == .reloadModel, completion.answer.failure == nil {
        logger.notice("models reloaded", metadata: ["peer": "\(connection.peer)"])
      }
      answer(connection, completion.answer, completion.method)
    }
    flush(connection)
  }

  func answer(_ connection: Connection, _ answer: Answer, _ method: Method) {
    statistics.add(method, failure: answer.failure?.code, timing: answer.timing)
    if let failure = answer.failure { log(connection, failure, method: method.fullName) }
    connection.send(answer.frame)
  }

  /// - Parameter method: `nil` when the request does not say.
  func refuse(
    _ header: FrameHeader, of connection: Connection, _ status: Status, _ method: Method? = nil
  ) {
    if let method { statistics.add(method, failure: status.code, timing: nil) }
    if let stream = connection.streams[header.stream], header.type == FrameType.data.rawValue {
      return end(stream, of: connection, status)
    }
    // The refusal looks like the answer to the call that runs, so this peer can no longer tell them apart.
    if connection.isInUse(header.stream) { closeWhenSent(connection) }
    log(connection, status, method: method?.fullName ?? "-")
    connection.send(FailedCall.responseFrame(stream: header.stream, status))
  }

  func log(_ connection: Connection, _ status: Status, method: String) {
    guard callLines.take(connection.peer.user) else { return }
    logger.notice(
      "call refused",
      metadata: [
        "peer": "\(connection.peer)", "method": "\(method)", "status": "\(status.code.name)",
        "reason": "\(status.message)",
      ])
  }

  /// Says of how many refusals nothing was said.
  func tellLeftOut() {
    for (user, count) in callLines.ended() + connectionLines.ended() {
      logger.notice("lines left out", metadata: ["uid": "\(user)", "count": "\(count)"])
    }
  }
}
