import FaceCore
import Posix
import Wire

/// Streams of frames; see `WatchStream` for their order.
extension ConnectionManager {
  func openStream(_ call: Call, of connection: Connection) throws(Status) {
    try checkStreamCount(of: connection)
    guard call.payload.isEmpty else {
      throw Status(.invalidArgument, "the request of a stream has no payload; send `start` as its first data")
    }
    let requestID = makeRequestID(call.stream, of: connection)
    connection.pendingCalls[call.stream] = .frames(
      WatchStream(requestID: requestID, method: call.method, deadline: call.deadline, trace: call.trace))
  }

  /// Handles data of a stream. Its errors end the stream.
  func handleData(_ frame: Frame, from connection: Connection, at now: MonotonicTime) throws(Status) {
    let number = frame.header.stream
    guard let stream = connection.stream(number) else {
      // Such data was on its way when the stream ended.
      if connection.hasEnded(number) { return }
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
      switch (try WatchCall.request(frame.body.span), stream.opening) {
      case (.start(let start), nil): try startStream(stream, start, of: connection)
      case (.frame(let watched), let opening?):
        enqueue(watched, frame.body, opening, stream, of: connection, at: now)
      case (.start, _):
        throw Status(.invalidArgument, "the stream has already started; send frames, and `start` only once")
      case (.frame, nil):
        throw Status(.invalidArgument, "a stream begins with the message `start`; send `start` first")
      }
    }
    stream.isClosedByClient = flags.contains(.remoteClosed)
    advance(stream, of: connection)
  }

  private func startStream(
    _ stream: WatchStream, _ start: WatchStart, of connection: Connection
  ) throws(Status) {
    guard start.method == stream.method else {
      throw Status(
        .invalidArgument,
        stream.method == .check
          ? "`start` of a Check has no field `check`; set it, empty for the default options"
          : "`start` of a Watch has the field `check`; leave it out, or open a Check",
        .field("start.check"))
    }
    let searcher: StreamSearcher
    if let check = start.check {
      if check.isPictureKeptHere {
        stream.reservation = try accounts.reserve(UserAccount(checks: 1), for: connection.peer.user)
      }
      searcher = .checked(
        try callHandler.service.makeChecker(check, start.tracking ?? TrackingOptions()))
    } else if let tracking = start.tracking {
      searcher = .tracked(try callHandler.service.makeTracker(tracking))
    } else {
      searcher = .single(callHandler.service.detector)
    }
    if start.mode == .every {
      guard connection.features?.contains(.credit) == true else {
        throw Status(
          .failedPrecondition,
          "a stream in EVERY mode needs the feature \"credit\"; ask for it in Session/Hello, or use NEWEST")
      }
      let credit = UInt32(clamping: limits.frameCredit)
      connection.outbox.append(
        ControlFromEngine.credit(stream: stream.requestID.stream, frames: credit).frame)
    }
    stream.opening = WatchStream.Opening(start: start, searcher: searcher)
  }

  /// Queues a frame. Every frame is answered, whatever happens to it.
  private func enqueue(
    _ watched: WatchFrame, _ body: [UInt8], _ opening: WatchStream.Opening, _ stream: WatchStream,
    of connection: Connection, at now: MonotonicTime
  ) {
    let start = opening.start
    let own = now.deadline(after: TimeSpan(clamping: watched.timeout))
    var frame = StreamFrame(
      stream: stream.requestID.stream, method: stream.method, info: watched.info, options: start.options,
      searcher: opening.searcher, body: body, image: watched.image,
      buffers: connection.buffers.only(
        MessageImage.buffers(namedBy: body.span.extracting(watched.image))),
      arrival: now, deadline: min(own, stream.deadline), trace: stream.trace)
    if start.mode == .every, stream.unanswered >= limits.frameCredit {
      let status = Status(
        .resourceExhausted,
        "\(limits.frameCredit) frames of this stream are unanswered, which is the limit; wait for an answer",
        .limit("frame_credit"))
      return stream.settle(refusal(of: frame, status, connection))
    }
    if start.mode == .newest, stream.isWorking {
      if replaceQueued(frame, stream, connection) { return }
      if let followed = stream.dropWaiting() {
        frame.info.followed = followed.joined(with: frame.info.followed)
        statistics.count { $0.framesDropped += 1 }
      }
    }
    do throws(Status) {
      frame.reservation = try accounts.reserve(
        UserAccount(frameBytes: body.count), for: connection.peer.user)
    } catch {
      return stream.settle(refusal(of: frame, error, connection))
    }
    stream.wait(frame)
  }

  /// Replaces the frame that waits for a worker with the new one; returns false if none waits.
  private func replaceQueued(_ newer: StreamFrame, _ stream: WatchStream, _ connection: Connection) -> Bool {
    var frame = newer
    frame.info.followed = stream.followedOfWorking.joined(with: frame.info.followed)
    let job = CallJob(stream.requestID, .frame(frame))
    guard let old = queue.replaceQueued(with: job) else { return false }
    statistics.count { $0.framesDropped += 1 }
    guard case .frame = old.work.part, let answer = stream.replaceWorking(with: frame) else { return true }
    connection.outbox.append(answer)
    sendSettled(stream, connection)
    return true
  }

  private func refusal(of frame: StreamFrame, _ status: Status, _ connection: Connection) -> [UInt8] {
    let entry = CallRecord(
      stream: frame.stream, method: frame.method, trace: frame.trace, failure: status, size: frame.body.count)
    record(entry, of: connection)
    logRefusal(status, of: connection, frame.method)
    return WatchCall.failedFrame(stream: frame.stream, frame.info, status)
  }

  /// Sends the answers that are due, submits the next frame, and ends the stream when nothing is left of it.
  func advance(_ stream: WatchStream, of connection: Connection) {
    if !stream.isWorking { sendSettled(stream, connection) }
    while !stream.isWorking, let frame = stream.startNext() {
      do throws(Status) {
        try queue.submit(CallJob(stream.requestID, .frame(frame)))
      } catch {
        stream.finish()
        connection.outbox.append(refusal(of: frame, error, connection))
        sendSettled(stream, connection)
      }
    }
    if stream.isIdle, stream.isClosedByClient || stream.ending != nil {
      end(stream, of: connection, stream.ending)
    }
  }

  private func sendSettled(_ stream: WatchStream, _ connection: Connection) {
    while let answers = stream.popSettled() { connection.outbox.append(answers) }
  }

  /// Sends the stream's one response and forgets frames that were not answered.
  /// - Parameter failure: why the stream failed; `nil` for a normal end.
  func end(_ stream: WatchStream, of connection: Connection, _ failure: Status?) {
    let number = stream.requestID.stream
    connection.pendingCalls[number] = nil
    queue.cancel(stream.requestID)
    statistics.recordEnd(of: stream.method, failure: failure?.code)
    if let failure {
      logRefusal(failure, of: connection, stream.method)
      connection.outbox.append(FailedCall.responseFrame(stream: number, failure, trace: stream.trace))
    } else {
      connection.outbox.append(StreamEnd.responseFrame(stream: number))
    }
  }
}

extension CheckOptions {
  /// Whether the check keeps a picture in the engine. Checks of a still photo do not: they finish at once.
  fileprivate var isPictureKeptHere: Bool { !isStill && !callerKeepsPicture }
}
