import FaceCore
import Posix
import Wire

/// A call as it came, not decoded further than its envelope.
struct Call: Sendable {
  let caller: Peer
  let stream: UInt32
  let method: Method
  /// The data of the request frame, in which `payload` lies.
  let body: [UInt8]
  let payload: Range<Int>
  /// Those that the connection had offered by then.
  let buffers: BufferTable
  let arrival: MonotonicTime
  /// When its caller stops waiting.
  let deadline: MonotonicTime
}

/// What goes back: a whole response frame.
struct Answer: Sendable {
  let frame: [UInt8]
  /// Why the call was refused, for the log; `nil` when it was not.
  let failure: Status?
  let timing: CallTiming
}

/// Decodes a call, has `DetectorService` do it and encodes what comes of it.
struct CallHandler: Sendable {
  let service: DetectorService

  /// Never fails: what is thrown becomes the answer.
  /// - Parameter token: ends the work early; `nil` for calls that take microseconds.
  func answer(_ call: Call, _ token: CancellationToken? = nil) -> Answer {
    let begin = MonotonicTime.now()
    var timing = CallTiming(queue: begin.nanoseconds - call.arrival.nanoseconds)
    do throws(Status) {
      // Checked here, after the queue, so that a call nobody waits for any more costs nothing.
      guard begin < call.deadline else { throw Self.late }
      let outcome = Result { () throws(Status) in try perform(call, token) }
      timing.run = MonotonicTime.now().nanoseconds - begin.nanoseconds
      return Answer(frame: try outcome.get(), failure: nil, timing: timing)
    } catch {
      return Answer(
        frame: FailedCall.responseFrame(stream: call.stream, error), failure: error, timing: timing)
    }
  }

  private func perform(_ call: Call, _ token: CancellationToken?) throws(Status) -> [UInt8] {
    let payload = call.body.span.extracting(call.payload)
    switch call.method {
    case .detect:
      let result = try DetectCall.withRequest(payload) { (image, options) throws(Status) in
        try detect(image, options, call.buffers, token)
      }
      return try DetectCall.responseFrame(stream: call.stream, result)
    case .healthCheck:
      let status = try service.health(of: try HealthCall.request(payload))
      return try HealthCall.responseFrame(stream: call.stream, status)
    case .healthWatch:
      throw Status(.internal, "a watch is no single call; please report this")
    case .info:
      try InfoCall.request(payload)
      return try InfoCall.responseFrame(stream: call.stream, service.info())
    case .stats:
      try StatsCall.request(payload)
      return try StatsCall.responseFrame(stream: call.stream, service.statistics.snapshot)
    case .listModels:
      try ListModelsCall.request(payload)
      return try ListModelsCall.responseFrame(stream: call.stream, try service.listModels())
    case .reloadModel:
      let models = try service.reloadModels(named: try ReloadModelCall.request(payload), for: call.caller)
      return try ReloadModelCall.responseFrame(stream: call.stream, models)
    case .describe:
      try DescribeCall.request(payload)
      return try DescribeCall.responseFrame(stream: call.stream)
    case .detectBatch, .watch, .check, .hello:
      throw Status(.internal, "\(call.method.fullName) is no single turn's work; please report this")
    }
  }
}

extension Method {
  /// Whether the call takes microseconds, so that it is answered at once instead of by a worker.
  var isImmediate: Bool {
    switch self {
    case .detect, .detectBatch, .watch, .check, .hello, .listModels, .reloadModel: false
    case .healthCheck, .healthWatch, .info, .stats, .describe: true
    }
  }
}
