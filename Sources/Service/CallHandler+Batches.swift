package import FaceCore
import Posix
import Wire

/// Calls that take several turns: batches, image by image, and streams, frame by frame.
extension CallHandler {
  /// What one turn of a batch comes to.
  enum BatchOutcome {
    case answer(Answer)
    case rest(Batch)
  }

  func startBatch(_ call: Call, _ token: CancellationToken) -> BatchOutcome {
    let now = MonotonicTime.now()
    let timing = CallTiming(queue: now.nanoseconds - call.arrival.nanoseconds)
    do throws(Status) {
      guard now < call.deadline else { throw Self.late }
      let payload = call.body.span.extracting(call.payload)
      let request = try DetectBatchCall.request(payload, limit: service.limits.batchImages)
      return continueBatch(Batch(call: call, request: request, timing: timing), token)
    } catch {
      return .answer(refusal(of: call, error, timing))
    }
  }

  /// Searches the next image.
  func continueBatch(_ batch: Batch, _ token: CancellationToken) -> BatchOutcome {
    var batch = batch
    let start = MonotonicTime.now()
    if batch.outcomes.count < batch.request.images.count {
      batch.outcomes.append(nextOutcome(of: batch, now: start, token))
    }
    batch.timing.run = (batch.timing.run ?? 0) + MonotonicTime.now().nanoseconds - start.nanoseconds
    if batch.outcomes.count < batch.request.images.count { return .rest(batch) }
    do throws(Status) {
      let frame = try DetectBatchCall.responseFrame(stream: batch.call.stream, batch.outcomes)
      return .answer(Answer(frame: frame, failure: nil, timing: batch.timing))
    } catch {
      return .answer(refusal(of: batch.call, error, batch.timing))
    }
  }

  private func nextOutcome(
    of batch: Batch, now: MonotonicTime, _ token: CancellationToken
  ) -> ImageOutcome {
    let range = batch.request.images[batch.outcomes.count]
    let image = batch.call.body.span.extracting(batch.call.payload).extracting(range)
    do throws(Status) {
      guard now < batch.call.deadline else { throw Self.late }
      let result = try MessageImage.decoding(image) { (image) throws(Status) in
        try withInput(image, batch.call.buffers, token) { (input) throws(Status) in
          try service.detector.detect(input, options: batch.request.options)
        }
      }
      return .success(result)
    } catch {
      return .failure(error)
    }
  }

  /// Searches a frame of a stream.
  func respond(to frame: StreamFrame, _ token: CancellationToken) -> Answer {
    let start = MonotonicTime.now()
    var timing = CallTiming(queue: start.nanoseconds - frame.arrival.nanoseconds)
    do throws(Status) {
      guard start < frame.deadline else { throw Self.late }
      let response = Result { () throws(Status) in
        try MessageImage.decoding(frame.body.span.extracting(frame.image)) { (image) throws(Status) in
          try withInput(image, frame.buffers, token) { (input) throws(Status) in
            try search(input, frame)
          }
        }
      }
      timing.run = MonotonicTime.now().nanoseconds - start.nanoseconds
      let (bytes, failure) = try response.get().fitted(stream: frame.stream)
      return Answer(frame: bytes, failure: failure, timing: timing)
    } catch {
      return Answer(
        frame: WatchCall.failedFrame(stream: frame.stream, frame.info, error), failure: error, timing: timing)
    }
  }

  private func search(_ input: ImageInput, _ frame: StreamFrame) throws(Status) -> FrameEvent {
    switch frame.searcher {
    case .single:
      let result = try service.detector.detect(input, options: frame.options)
      return FrameEvent(frame: frame.info, outcome: .faces(result))
    case .tracked(let tracker):
      let (result, left) = try tracker.process(input, options: frame.options)
      return FrameEvent(frame: frame.info, outcome: .faces(result), left: left)
    case .checked(let checker):
      let (result, left, report) = try checker.process(input, frame.info, options: frame.options)
      return FrameEvent(frame: frame.info, outcome: .faces(result), left: left, check: report)
    }
  }
}

extension FrameEvent {
  /// The response as a frame. One that is too large for a message becomes a failure, which still names the faces that left
  /// and carries the report of a guided check.
  package func fitted(stream: UInt32) throws(Status) -> (frame: [UInt8], failure: Status?) {
    do throws(Status) {
      return (try WatchCall.responseFrame(stream: stream, self), nil)
    } catch {
      var rest = self
      rest.outcome = .failed(error)
      rest.check = check?.withoutFaces
      // It is the faces, as a rule, which are many.
      if let frame = try? WatchCall.responseFrame(stream: stream, rest) { return (frame, error) }
      rest.check = rest.check?.withoutPictures(error)
      return (try WatchCall.responseFrame(stream: stream, rest), error)
    }
  }
}

extension CheckReport {
  /// Without what points at the frame's faces.
  fileprivate var withoutFaces: CheckReport {
    var report = self
    report.events.removeAll { if case .draw = $0 { true } else { false } }
    return report
  }

  /// A result becomes a failure, which is an end as well.
  fileprivate func withoutPictures(_ reason: Status) -> CheckReport {
    var report = self
    report.events = events.map { if case .result = $0 { .failed(.noPicture(reason.message)) } else { $0 } }
    return report
  }
}
