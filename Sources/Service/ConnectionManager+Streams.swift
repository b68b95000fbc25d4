import FaceCore
import Posix
import Wire

/// What happens to streams of frames; see `WatchStream` for their order.
extension EventLoop {
  func open(_ call: Call, from connection: Connection) throws(Status) {
    let limit = configuration.limits.streamsPerConnection
    guard connection.openStreams < limit else {
      throw Status(
        .resourceExhausted, "this connection has \(limit) streams open, as many as it may; end one first",
        .limit("streams_per_connection"))
    }
    guard call.payload.isEmpty else {
      throw Status(.invalidArgument, "the request of a stream has no payload; send `start` as its first data")
    }
    let requestID = requestID(for: call, of: connection)
    connection.streams[call.stream] = WatchStream(
      requestID: requestID, method: call.method, deadline: call.deadline)
    callsInFlight += 1
  }

  /// Throws what ends the stream.
  func data(_ frame: Frame, from connection: Connection) throws(Status) {
    let number = frame.header.stream
    guard let stream = connection.streams[number] else {
      // On its way when the stream ended.
      if number % 2 == 1, number <= connection.lastStream, !connection.isInUse(number) { return }
      throw Status(.invalidArgument, "no stream \(number) is open; begin it with a request")
    }
    if stream.ending != nil { return }
    let flags = frame.header.flags
    guard flags.subtracting([.remoteClosed, .noData]).isEmpty else {
      throw Status(.invalidArgument, "the data has unknown flags \(flags.rawValue); send 0, 1 or 5")
    }
    guard !stream.isClosedByClient else {
      throw Status(.invalidArgument, "stream \(number) was closed by the client; open another one")
    }
    if !flags.contains(.noData) {
      switch (try WatchCall.request(frame.body.span), stream.start) {
      case (.start(let start), nil): try begin(stream, start, of: connection)
      case (.frame(let watched), let start?): take(watched, frame.body, start, stream, of: connection)
      case (.start, _): throw Status(.invalidArgument, "the stream has begun; send frames, no second start")
      case (.frame, nil):
        throw Status(.invalidArgument, "the first message of a stream is `start`; send that")
      }
    }
    stream.isClosedByClient = flags.contains(.remoteClosed)
    advance(stream, of: connection)
  }

  private func begin(_ stream: WatchStream, _ start: WatchStart, of connection: Connection) throws(Status) {
    guard start.method == stream.method else {
      throw Status(
        .invalidArgument,
        stream.method == .check
          ? "the start of a Check has no `check`; send its options, empty for the defaults"
          : "the start of a Watch has a `check`; open a Check for that",
        .field("start.check"))
    }
    if let check = start.check {
      try admit(check, of: connection.peer.user)
      stream.searcher = .checked(
        try callHandler.service.makeChecker(check, start.tracking ?? TrackingOptions()))
    } else if let tracking = start.tracking {
      stream.searcher = .tracked(try callHandler.service.makeTracker(tracking))
    }
    if start.mode == .every {
      guard connection.features?.contains(.credit) == true else {
        throw Status(
          .failedPrecondition,
          "a stream in EVERY mode needs the feature \"credit\"; ask for it in Session/Hello, or use NEWEST")
      }
      let credit = UInt32(clamping: configuration.limits.frameCredit)
      connection.send(ControlFromEngine.credit(stream: stream.requestID.stream, frames: credit).frame)
    }
    stream.start = start
  }

  /// Throws `resourceExhausted` for a check that is one too many of `user`.
  private func admit(_ check: CheckOptions, of user: UInt32) throws(Status) {
    let limit = configuration.limits.checksPerUser
    guard check.isPictureKeptHere else { return }
    let open = connections.values.filter { $0.peer.user == user }.reduce(0) { sum, connection in
      sum + connection.streams.values.count { $0.start?.check?.isPictureKeptHere == true }
    }
    guard open < limit else {
      throw Status(
        .resourceExhausted,
        "uid \(user) has \(limit) guided checks open, as many as one user may; end one first",
        .limit("checks_per_user"))
    }
  }

  /// Gives a frame its place. Whatever becomes of it, it is answered.
  private func take(
    _ watched: WatchFrame, _ body: [UInt8], _ start: WatchStart, _ stream: WatchStream,
    of connection: Connection
  ) {
    let arrival = MonotonicTime.now()
    let own =
      watched.timeout == 0
      ? .never : arrival.advanced(byNanoseconds: Int64(clamping: watched.timeout))
    let frame = StreamFrame(
      stream: stream.requestID.stream, method: stream.method, info: watched.info, options: start.options,
      searcher: stream.searcher, body: body, image: watched.image, buffers: connection.buffers,
      arrival: arrival,
      deadline: min(own, stream.deadline))
    let limits = configuration.limits
    if start.mode == .every, stream.unanswered >= limits.frameCredit {
      let status = Status(
        .resourceExhausted,
        "\(limits.frameCredit) frames of this stream are unanswered, as many as it may have; wait for one",
        .limit("frame_credit"))
      return stream.settle(refusal(of: frame, status, connection))
    }
    if start.mode == .newest, stream.isWorking, makeRoom(for: frame, stream, connection) { return }
    do throws(Status) {
      try waitingBytes.check(body.count, of: connection.peer.user)
    } catch {
      return stream.settle(refusal(of: frame, error, connection))
    }
    stream.wait(frame)
    waitingBytes.add(body.count, of: connection.peer.user)
  }

  /// Drops the frame that waits, if one does; true when the new one has taken its place already.
  private func makeRoom(for frame: StreamFrame, _ stream: WatchStream, _ connection: Connection) -> Bool {
    if let old = pool.replace(with: Job(requestID: stream.requestID, work: .frame(frame))) {
      statistics.framesDropped.add()
      guard case .frame = old.work, let answer = stream.replaceWorking(with: frame) else { return true }
      connection.send(answer)
      sendSettled(stream, connection)
      return true
    }
    let before = stream.waitingBytes
    if stream.dropWaiting() { statistics.framesDropped.add() }
    waitingBytes.subtract(before - stream.waitingBytes, of: connection.peer.user)
    return false
  }

  private func refusal(of frame: StreamFrame, _ status: Status, _ connection: Connection) -> [UInt8] {
    statistics.add(frame.method, failure: status.code, timing: nil)
    log(connection, status, method: frame.method.fullName)
    return WatchCall.failedFrame(stream: frame.stream, frame.info, status)
  }

  /// Sends what may be sent, hands the workers the next frame, and ends the stream when nothing is left of it.
  func advance(_ stream: WatchStream, of connection: Connection) {
    if !stream.isWorking { sendSettled(stream, connection) }
    while !stream.isWorking, let frame = stream.startNext() {
      waitingBytes.subtract(frame.body.count, of: connection.peer.user)
      do throws(Status) {
        try pool.submit(Job(requestID: stream.requestID, work: .frame(frame)))
      } catch {
        stream.finish()
        connection.send(refusal(of: frame, error, connection))
        sendSettled(stream, connection)
      }
    }
    if stream.isIdle, stream.isClosedByClient || stream.ending != nil {
      end(stream, of: connection, stream.ending)
    }
  }

  private func sendSettled(_ stream: WatchStream, _ connection: Connection) {
    while let answers = stream.popSettled() { connection.send(answers) }
  }

  /// Sends the stream's one response; frames that were not answered are forgotten.
  /// - Parameter failure: `nil` when the stream came to its proper end.
  func end(_ stream: WatchStream, of connection: Connection, _ failure: Status?) {
    let number = stream.requestID.stream
    connection.streams[number] = nil
    callsInFlight -= 1
    waitingBytes.subtract(stream.waitingBytes, of: connection.peer.user)
    pool.cancel(stream.requestID)
    statistics.addEnd(stream.method, failure: failure?.code)
    if let failure {
      log(connection, failure, method: stream.method.fullName)
      connection.send(FailedCall.responseFrame(stream: number, failure))
    } else {
      connection.send(StreamEnd.responseFrame(stream: number))
    }
  }
}

extension CheckOptions {
  /// Whether such a check keeps a picture in the engine; photos are done with at once.
  fileprivate var isPictureKeptHere: Bool { !isStill && !callerKeepsPicture }
}
