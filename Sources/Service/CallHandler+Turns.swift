package import FaceCore
import Posix
import Wire

/// A batch, between two of its images. Each image is a turn of its own, so that a batch holds up nobody.
struct Batch: Sendable {
  let call: Call
  let request: BatchRequest
  var outcomes: [ImageOutcome] = []
  var timing: CallTiming
}

/// What searches the frames of a stream.
enum FrameSearcher: Sendable {
  /// The detector, each frame for itself.
  case single
  case tracked(any FrameTracker)
  case checked(any FrameChecker)
}

/// A frame of a stream, its message not decoded further than where the image lies.
struct StreamFrame: Sendable {
  let stream: UInt32
  let method: Method
  let info: FrameInfo
  let options: DetectionOptions
  let searcher: FrameSearcher
  /// The data of the frame, in which `image` lies.
  let body: [UInt8]
  let image: Range<Int>
  let buffers: BufferTable
  let arrival: MonotonicTime
  /// When its sender stops waiting.
  let deadline: MonotonicTime
}

/// What one turn's work comes to.
enum TurnOutcome {
  case done(Answer)
  /// To be gone on with when its turn comes again.
  case more(Work)
}

extension CallHandler {
  /// Never fails: what is thrown becomes the answer.
  func take(turn work: Work, _ token: CancellationToken) -> TurnOutcome {
    switch work {
    case .call(let call) where call.method == .detectBatch: begin(call, token)
    case .call(let call): .done(answer(call, token))
    case .batch(let batch): goOn(batch, token)
    case .frame(let frame): .done(answer(frame, token))
    }
  }

  // MARK: Batches

  private func begin(_ call: Call, _ token: CancellationToken) -> TurnOutcome {
    let now = MonotonicTime.now()
    let timing = CallTiming(queue: now.nanoseconds - call.arrival.nanoseconds)
    do throws(Status) {
      guard now < call.deadline else { throw Self.late }
      let payload = call.body.span.extracting(call.payload)
      let request = try DetectBatchCall.request(payload, limit: service.limits.batchImages)
      return goOn(Batch(call: call, request: request, timing: timing), token)
    } catch {
      return .done(refusal(call, error, timing))
    }
  }

  private func goOn(_ batch: Batch, _ token: CancellationToken) -> TurnOutcome {
    var batch = batch
    let begin = MonotonicTime.now()
    if batch.outcomes.count < batch.request.images.count {
      batch.outcomes.append(outcome(of: batch, now: begin, token))
    }
    batch.timing.run = (batch.timing.run ?? 0) + MonotonicTime.now().nanoseconds - begin.nanoseconds
    if batch.outcomes.count < batch.request.images.count { return .more(.batch(batch)) }
    do throws(Status) {
      let frame = try DetectBatchCall.responseFrame(stream: batch.call.stream, batch.outcomes)
      return .done(Answer(frame: frame, failure: nil, timing: batch.timing))
    } catch {
      return .done(refusal(batch.call, error, batch.timing))
    }
  }

  private func outcome(
    of batch: Batch, now: MonotonicTime, _ token: CancellationToken
  ) -> ImageOutcome {
    let range = batch.request.images[batch.outcomes.count]
    let image = batch.call.body.span.extracting(batch.call.payload).extracting(range)
    do throws(Status) {
      guard now < batch.call.deadline else { throw Self.late }
      let result = try MessageImage.decoding(image) { (image) throws(Status) in
        try detect(image, batch.request.options, batch.call.buffers, token)
      }
      return .success(result)
    } catch {
      return .failure(error)
    }
  }

  private func refusal(_ call: Call, _ status: Status, _ timing: CallTiming) -> Answer {
    Answer(
      frame: FailedCall.responseFrame(stream: call.stream, status), failure: status, timing: timing)
  }

  // MARK: Frames

  private func answer(_ frame: StreamFrame, _ token: CancellationToken) -> Answer {
    let begin = MonotonicTime.now()
    var timing = CallTiming(queue: begin.nanoseconds - frame.arrival.nanoseconds)
    do throws(Status) {
      guard begin < frame.deadline else { throw Self.late }
      let outcome = Result { () throws(Status) in
        try MessageImage.decoding(frame.body.span.extracting(frame.image)) { (image) throws(Status) in
          try withInput(image, frame.buffers, token) { (input) throws(Status) in
            try search(input, frame)
          }
        }
      }
      timing.run = MonotonicTime.now().nanoseconds - begin.nanoseconds
      let (bytes, failure) = try outcome.get().fitted(stream: frame.stream)
      return Answer(frame: bytes, failure: failure, timing: timing)
    } catch {
      return Answer(
        frame: WatchCall.failedFrame(stream: frame.stream, frame.info, error), failure: error, timing: timing)
    }
  }

  private func search(_ input: ImageInput, _ frame: StreamFrame) throws(Status) -> FrameEvent {
    switch frame.searcher {
    case .single:
      let result = try service.detect(input, frame.options)
      return FrameEvent(frame: frame.info, outcome: .faces(result))
    case .tracked(let tracker):
      let (result, left) = try tracker.process(input, options: frame.options)
      return FrameEvent(frame: frame.info, outcome: .faces(result), left: left)
    case .checked(let checker):
      let (result, left, report) = try checker.process(input, frame.info, options: frame.options)
      return FrameEvent(frame: frame.info, outcome: .faces(result), left: left, check: report)
    }
  }

  // MARK: Images

  func detect(
    _ image: MessageImage, _ options: DetectionOptions, _ buffers: BufferTable,
    _ token: CancellationToken?
  ) throws(Status) -> DetectionResult {
    try withInput(image, buffers, token) { (input) throws(Status) in try service.detect(input, options) }
  }

  /// Shared pixels are read where they lie; encoded images are copied, since a decoder trusts what it has read before.
  private func withInput<Value>(
    _ image: MessageImage, _ buffers: BufferTable, _ token: CancellationToken?,
    _ body: (ImageInput) throws(Status) -> Value
  ) throws(Status) -> Value {
    func input(_ source: ImageInput.Source) -> ImageInput {
      var input = image.input(source)
      input.cancellation = token
      return input
    }
    switch image.source {
    case .encoded(let bytes): return try body(input(.encoded(bytes)))
    case .pixels(let view): return try body(input(.pixels(view)))
    case .sharedPixels(let part):
      let buffer = try buffers.buffer(part.buffer)
      defer { withExtendedLifetime(buffer) {} }
      return try body(input(.pixels(try part.view(of: buffer.bytes))))
    case .sharedEncoded(let part):
      let buffer = try buffers.buffer(part.buffer)
      let copy = [UInt8](try part.bytes(of: buffer.bytes))
      return try copy.span.withUnsafeBytes { (bytes) throws(Status) in
        try body(input(.encoded(bytes)))
      }
    }
  }

  static let late = Status(
    .deadlineExceeded, "the call's time ran out before it began; allow more, or send fewer at a time")
}

extension FrameEvent {
  /// The answer as a frame. One that is too large for a message becomes a failure; those who left, and what a guided check
  /// says, are told of even so.
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
