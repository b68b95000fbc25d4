package import FaceCore
import Posix
import Wire

/// A received call; only its envelope is decoded.
struct Call: Sendable {
  let caller: Peer
  let stream: UInt32
  let method: Method
  /// The data of the request frame, which contains `payload`.
  let body: [UInt8]
  let payload: Range<Int>
  /// The buffers that it names, of those that the connection had registered when it came.
  let buffers: BufferTable
  let arrival: MonotonicTime
  /// The time at which its caller stops waiting.
  let deadline: MonotonicTime
  let trace: RequestTrace
}

/// A batch, between two of its images.
struct Batch: Sendable {
  let call: Call
  let request: BatchRequest
  var outcomes: [ImageOutcome] = []
  var timing: CallTiming
}

/// A frame of a stream. Its message is decoded only as far as the position of the image.
struct StreamFrame: Sendable {
  let stream: UInt32
  let method: Method
  var info: FrameInfo
  let options: DetectionOptions
  let searcher: StreamSearcher
  /// The data of the frame, which contains `image`.
  let body: [UInt8]
  let image: Range<Int>
  let buffers: BufferTable
  let arrival: MonotonicTime
  /// The time at which its sender stops waiting.
  let deadline: MonotonicTime
  let trace: RequestTrace
  /// The reservation for its bytes while it waits in the stream.
  var reservation: Reservation?
}

/// The encoded response to a call or to a frame of a stream.
package struct Answer: Sendable {
  let frame: [UInt8]
  /// Why the call was refused, for the log; `nil` if it was not.
  let failure: Status?
  let timing: CallTiming
}

/// The answer to a job.
package struct Completion: Sendable {
  package let requestID: RequestID
  let method: Method
  let answer: Answer
  let trace: RequestTrace
  /// The size of the request in bytes.
  let size: Int
}

/// Decodes calls, passes them to `DetectorService` or its detector, and encodes the responses. Safe to use
/// from any thread.
package struct CallHandler: Sendable {
  /// The outcome of one turn of a job.
  package enum Outcome {
    case completed(Completion)
    /// The rest of the job, for another turn.
    case unfinished(CallJob)
  }

  static let late = Status(
    .deadlineExceeded,
    "the call's deadline passed before it began; allow more time, or send fewer calls at a time")

  package let service: DetectorService
  let now: @Sendable () -> MonotonicTime

  package init(service: DetectorService, now: @escaping @Sendable () -> MonotonicTime = { .now() }) {
    self.service = service
    self.now = now
  }

  /// Runs one turn of a job. Never fails: errors become the answer.
  package func run(_ job: consuming CallJob, _ token: CancellationToken) -> Outcome {
    // The only check of the deadline before a turn, so that a call whose caller no longer waits costs
    // nothing. WorkerSchedule expires jobs that no worker has time for, and the token ends those that run.
    guard token.deadline > now() else { return .completed(expire(job)) }
    let (method, trace, size) = (job.work.method, job.work.trace, job.size)
    let token = token.limited(toProcessorTime: service.limits.processorTimePerCall)
    let outcome: BatchOutcome =
      switch job.work.part {
      case .call(let call) where call.method == .detectBatch: startBatch(call, token)
      case .batch(let batch): continueBatch(batch, token)
      case .call(let call): .answer(respond(to: call, token))
      case .frame(let frame): .answer(respond(to: frame, of: job.requestID.user, token))
      }
    switch outcome {
    case .rest(let batch): return .unfinished(CallJob(job.requestID, .batch(batch)))
    case .answer(let answer):
      return .completed(
        Completion(requestID: job.requestID, method: method, answer: answer, trace: trace, size: size))
    }
  }

  /// The answer to a job whose deadline has passed before its turn.
  func expire(_ job: consuming CallJob) -> Completion {
    let answer: Answer
    switch job.work.part {
    case .call(let call):
      answer = refusal(of: call, Self.late, CallTiming(queue: waited(since: call.arrival)))
    case .batch(let batch): answer = finishLate(batch)
    case .frame(let frame):
      answer = refusal(of: frame, Self.late, CallTiming(queue: waited(since: frame.arrival)))
    }
    return Completion(
      requestID: job.requestID, method: job.work.method, answer: answer, trace: job.work.trace, size: job.size
    )
  }

  private func waited(since arrival: MonotonicTime) -> TimeSpan {
    now() - arrival
  }

  /// Executes a call that one worker answers with one response.
  /// - Parameter token: ends the work early; `nil` for calls that take microseconds.
  func respond(to call: Call, _ token: CancellationToken? = nil) -> Answer {
    let start = now()
    var timing = CallTiming(queue: start - call.arrival)
    do throws(Status) {
      let response = Result { () throws(Status) -> [UInt8] in
        let payload = call.body.span.extracting(call.payload)
        switch call.method.serving {
        case .immediate(let respond), .worker(_, let respond): return try respond(self, call, payload, token)
        case .connection, .batch, .frames:
          throw Status(
            .internal,
            "this engine cannot answer \(call.method.fullName) with a single response; please report this"
          )
        }
      }
      timing.run = now() - start
      return Answer(frame: try response.get(), failure: nil, timing: timing)
    } catch {
      return refusal(of: call, error, timing)
    }
  }

  func respond(to frame: StreamFrame, of user: UInt32, _ token: CancellationToken) -> Answer {
    let start = now()
    var timing = CallTiming(queue: start - frame.arrival)
    do throws(Status) {
      let response = Result { () throws(Status) in
        try MessageImage.decoding(frame.body.span.extracting(frame.image)) { (image) throws(Status) in
          try withInput(image, frame.buffers, of: user, token) { (input) throws(Status) in
            try frame.searcher.search(input, frame.info, options: service.limits.bounding(frame.options))
          }
        }
      }
      timing.run = now() - start
      let (bytes, failure) = try response.get().fitted(stream: frame.stream)
      return Answer(frame: bytes, failure: failure, timing: timing)
    } catch {
      return refusal(of: frame, error, timing)
    }
  }

  private func refusal(of frame: StreamFrame, _ status: Status, _ timing: CallTiming) -> Answer {
    Answer(
      frame: WatchCall.failedFrame(stream: frame.stream, frame.info, status), failure: status, timing: timing)
  }

  func refusal(of call: Call, _ status: Status, _ timing: CallTiming) -> Answer {
    Answer(
      frame: FailedCall.responseFrame(stream: call.stream, status, trace: call.trace), failure: status,
      timing: timing)
  }

  /// Calls `body` with the image of a message. Shared pixels are read in place; encoded images are copied, here unless
  /// it is a decoder that does, since a library relies on data it has already read.
  func withInput<Value>(
    _ image: MessageImage, _ buffers: BufferTable, of user: UInt32, _ token: CancellationToken?,
    _ body: (ImageInput) throws(Status) -> Value
  ) throws(Status) -> Value {
    func input(_ source: ImageInput.Source) -> ImageInput {
      var input = image.input(source)
      input.cancellation = token
      input.decoder = decoder
      input.memory = service.memory.account(of: user)
      return input
    }
    let decoder = service.decoders?.decoder(for: user)
    switch image.source {
    case .encoded(let bytes): return try body(input(.encoded(bytes)))
    case .pixels(let view): return try body(input(.pixels(view)))
    case .sharedPixels(let part):
      let buffer = try buffers.buffer(part.buffer)
      defer { withExtendedLifetime(buffer) {} }
      return try body(input(.pixels(try part.view(of: buffer.bytes))))
    case .sharedEncoded(let part):
      let buffer = try buffers.buffer(part.buffer)
      let file = try part.bytes(of: buffer.bytes)
      defer { withExtendedLifetime(buffer) {} }
      if decoder?.takesAllKinds == true { return try body(input(.encoded(file))) }
      let copy = try HeapMemory.copy(of: file, token)
      defer { withExtendedLifetime(copy) {} }
      return try body(input(.encoded(UnsafeRawBufferPointer(copy.bytes))))
    }
  }
}
