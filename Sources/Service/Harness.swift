import FaceCore
import Posix
import Wire

/// A call as it came, not decoded further than its envelope.
struct Call: Sendable {
  let stream: UInt32
  let method: Method
  /// The data of the request frame, in which `payload` lies.
  let body: [UInt8]
  let payload: Range<Int>
  /// When its caller stops waiting.
  let deadline: MonotonicTime
}

/// What goes back: a whole response frame.
struct Answer: Sendable {
  let frame: [UInt8]
  /// Why the call was refused, for the log; `nil` when it was not.
  let failure: Status?

  static func failure(_ status: Status, stream: UInt32) -> Answer {
    Answer(frame: FailedCall.responseFrame(stream: stream, status), failure: status)
  }
}

/// Decodes a call, has `FaceService` do it and encodes what comes of it.
struct Harness: Sendable {
  let service: FaceService

  /// Never fails: what is thrown becomes the answer.
  func answer(_ call: Call) -> Answer {
    do throws(Status) {
      // Checked here, after the queue, so that a call nobody waits for any more costs nothing.
      guard MonotonicTime.now() < call.deadline else {
        throw Status(
          .deadlineExceeded, "the call's time ran out before it began; allow more, or send fewer at a time")
      }
      return Answer(frame: try perform(call), failure: nil)
    } catch {
      return .failure(error, stream: call.stream)
    }
  }

  private func perform(_ call: Call) throws(Status) -> [UInt8] {
    let payload = call.body.span.extracting(call.payload)
    switch call.method {
    case .detect:
      let result = try DetectCall.withRequest(payload) { (image, options) throws(Status) in
        try service.detect(image, options)
      }
      return try DetectCall.responseFrame(stream: call.stream, result)
    case .healthCheck:
      let status = try service.health(of: try HealthCall.request(payload))
      return try HealthCall.responseFrame(stream: call.stream, status)
    case .info:
      try InfoCall.request(payload)
      return try InfoCall.responseFrame(stream: call.stream, service.info())
    }
  }
}

extension Method {
  /// Whether the call takes microseconds, so that it is answered at once instead of by a worker.
  var isImmediate: Bool {
    switch self {
    case .detect: false
    case .healthCheck, .info: true
    }
  }
}
