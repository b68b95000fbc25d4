import FaceCore
import Logging
import Posix
import Wire

/// Calls: accepting, refusing and answering them.
extension ConnectionManager {
  /// Handles an event of a connection; errors become the answer.
  func handle(_ event: FrameParser.Event, from connection: Connection, at now: MonotonicTime) {
    let header: FrameHeader
    var method: Method?
    var trace = RequestTrace()
    do throws(Status) {
      switch event {
      case .started(let started):
        header = started
        do throws(Status) {
          connection.incoming = try accounts.reserve(
            UserAccount(incomingBytes: Int(started.length)), for: connection.peer.user)
        } catch {
          connection.skipMessage()
          throw error
        }
        return
      case .frame(let frame):
        header = frame.header
        connection.incoming = nil
        if let refusal = connection.refusal {
          closeWhenSent(connection, at: now)
          if let envelope = try? RequestEnvelope(decoding: frame.body.span) {
            method = try? Method(service: envelope.service, name: envelope.method)
          }
          throw refusal
        }
        switch FrameType(rawValue: header.type) {
        case .request: try startCall(frame, of: connection, at: now, &method, &trace)
        case .data: try handleData(frame, from: connection, at: now)
        case .response:
          // An answer to this might be sent back for ever.
          closeWhenSent(connection, at: now)
          throw Status(.invalidArgument, "only the engine sends responses; send requests")
        case let type?: try handleControl(type, frame, from: connection, at: now)
        case nil:
          throw Status(
            .unimplemented, "there is no frame type \(header.type); this engine takes requests")
        }
      case .oversized(let oversized):
        header = oversized
        guard header.carriesMessage else {
          closeWhenSent(connection, at: now)
          throw Status(
            .resourceExhausted,
            "a frame of type \(header.type) has \(header.length) bytes, but at most "
              + "\(FrameHeader.maxControlLength) are allowed; see PROTOCOL.md")
        }
        throw Status(
          .resourceExhausted,
          "the message has \(header.length) bytes, more than this engine's \(limits.maxMessageBytes); "
            + "put the images into shared memory (PROTOCOL.md), or scale them down",
          .limit("max_message_bytes"))
      case .implausible(let implausible):
        header = implausible
        closeWhenSent(connection, at: now)
        throw Status(
          .invalidArgument,
          "this is not a ttrpc frame: its length would be \(header.length); see PROTOCOL.md")
      }
    } catch {
      refuse(header, of: connection, at: now, error, method, trace)
    }
  }

  /// - Parameters:
  ///   - method: set as soon as it is known, for the log.
  ///   - trace: set as soon as it is known, for the log.
  private func startCall(
    _ frame: Frame, of connection: Connection, at now: MonotonicTime, _ method: inout Method?,
    _ trace: inout RequestTrace
  ) throws(Status) {
    let (number, flags) = (frame.header.stream, frame.header.flags)
    guard number % 2 == 1 else {
      throw Status(.invalidArgument, "stream \(number) is even; a client's streams have odd numbers")
    }
    guard connection.pendingCalls[number] == nil else {
      throw Status(.invalidArgument, "stream \(number) is in use; take a new number for each call")
    }
    guard flags.subtracting([.remoteClosed, .remoteOpen]).isEmpty else {
      throw Status(.invalidArgument, "the request has unknown flags \(flags.rawValue); send 0")
    }
    connection.lastStream = max(connection.lastStream, number)
    let envelope = try RequestEnvelope(decoding: frame.body.span)
    trace = envelope.trace
    let called = try Method(service: envelope.service, name: envelope.method)
    method = called
    guard flags.contains(.remoteOpen) == called.takesFrames else {
      throw Status(
        called.takesFrames ? .invalidArgument : .unimplemented,
        called.takesFrames
          ? "\(called.name) needs a stream of frames; open it with the flag REMOTE_OPEN"
          : "\(called.fullName) needs one whole request; send it without the flag REMOTE_OPEN")
    }
    let call = Call(
      caller: connection.peer, stream: number, method: called, body: frame.body, payload: envelope.payload,
      buffers: connection.buffers.only(
        MessageImage.buffers(namedByRequest: frame.body.span.extracting(envelope.payload))),
      arrival: now, deadline: now.deadline(after: envelope.timeout), trace: trace)
    if called == .hello { return try handleHello(call, from: connection) }
    if called == .healthWatch { return try startHealthWatch(call, of: connection) }
    if called == .takeOver { return try handleTakeOver(call, from: connection) }
    if case .immediate = called.serving {
      return send(callHandler.respond(to: call), CallRecord(call), to: connection)
    }
    guard isServing || isServedToTheEnd(connection) && !called.takesFrames else {
      let stopping = Status(.unavailable, "the engine is stopping; try again when it runs")
      guard connection.features?.contains(.goaway) == true else { throw stopping }
      // GOAWAY has told its client that this call is not served, and to repeat it elsewhere: it is not
      // counted here.
      return connection.outbox.append(FailedCall.responseFrame(stream: number, stopping, trace: trace))
    }
    if called.takesFrames { return try openStream(call, of: connection) }
    let running = connection.singleCallCount
    guard running < limits.callsPerConnection else {
      throw Status(
        .resourceExhausted,
        "this connection has \(running) calls in flight, which is the limit; wait for an answer",
        .limit("calls_per_connection"))
    }
    let requestID = makeRequestID(number, of: connection)
    try queue.submit(CallJob(requestID, .call(call)))
    connection.pendingCalls[number] = .single(requestID, called)
  }

  /// Sends the answer of a call or frame that a worker has completed, unless it was cancelled or the peer is
  /// gone.
  func complete(_ completion: Completion) {
    let requestID = completion.requestID
    let record = CallRecord(
      stream: requestID.stream, method: completion.method, trace: completion.trace, size: completion.size)
    guard let connection = connections[requestID.connection] else { return }
    switch connection.pendingCalls[requestID.stream] {
    case .frames(let stream) where stream.requestID == requestID:
      stream.finish()
      send(completion.answer, record, to: connection)
      advance(stream, of: connection)
    case .single(requestID, _):
      connection.pendingCalls[requestID.stream] = nil
      if completion.method == .reloadModel, completion.answer.failure == nil {
        logger.notice("models reloaded", metadata: ["peer": "\(connection.peer)"])
      }
      send(completion.answer, record, to: connection)
    default: return
    }
    flush(connection)
  }

  /// Answers calls and frames whose deadline passed before a worker was free for them.
  func answerExpired() {
    for job in queue.takeExpired() { complete(callHandler.expire(job)) }
  }

  private func send(_ answer: Answer, _ record: CallRecord, to connection: Connection) {
    var record = record
    record.failure = answer.failure
    record.timing = answer.timing
    record.answerSize = answer.frame.count
    self.record(record, of: connection)
    if let failure = answer.failure { logRefusal(failure, of: connection, record.method) }
    connection.outbox.append(answer.frame)
  }

  /// Counts a call and writes its line to the access log.
  func record(_ record: CallRecord, of connection: Connection) {
    if let method = record.method {
      statistics.record(method, failure: record.failure?.code, timing: record.timing)
    }
    accessLog?.write(record, connection.peer, connection: connection.id)
  }

  /// - Parameter method: the method; `nil` if the request does not say.
  private func refuse(
    _ header: FrameHeader, of connection: Connection, at now: MonotonicTime, _ status: Status,
    _ method: Method?, _ trace: RequestTrace
  ) {
    record(
      CallRecord(
        stream: header.stream, method: method, trace: trace, failure: status, size: Int(header.length)),
      of: connection)
    if header.type == FrameType.data.rawValue {
      if let stream = connection.stream(header.stream) { return end(stream, of: connection, status) }
      // Its stream has had its response.
      if connection.hasEnded(header.stream) { return }
    }
    // The refusal looks like the answer to the running call, so the peer can no longer tell them apart.
    if connection.pendingCalls[header.stream] != nil { closeWhenSent(connection, at: now) }
    logRefusal(status, of: connection, method)
    connection.outbox.append(FailedCall.responseFrame(stream: header.stream, status, trace: trace))
  }

  func logRefusal(_ status: Status, of connection: Connection, _ method: Method?) {
    logger.notice(
      "call refused",
      metadata: [
        "peer": "\(connection.peer)", "method": "\(method?.fullName ?? "-")", "status": "\(status.code.name)",
        "reason": "\(status.message)",
      ])
  }
}

extension CallRecord {
  /// Records a call that succeeded at once.
  init(_ call: Call, answerSize: Int = 0) {
    self.init(stream: call.stream, method: call.method, trace: call.trace, size: call.body.count)
    self.answerSize = answerSize
  }
}
