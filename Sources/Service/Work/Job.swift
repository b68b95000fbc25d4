import FaceCore
import Posix
import Wire

/// Whose turn a job takes, and which call it is for; no two calls have the same.
struct RequestID: Hashable, Sendable {
  let user: UInt32
  let connection: UInt64
  let stream: UInt32
  /// Tells apart calls that had the same stream number, one after the other.
  let serial: UInt64
}

/// What a worker does in one turn.
enum Work: Sendable {
  case call(Call)
  case batch(Batch)
  case frame(StreamFrame)

  /// Of the message that it holds.
  var bytes: Int {
    switch self {
    case .call(let call): call.body.count
    case .batch(let batch): batch.call.body.count
    case .frame(let frame): frame.body.count
    }
  }

  /// When its caller stops waiting.
  var deadline: MonotonicTime {
    switch self {
    case .call(let call): call.deadline
    case .batch(let batch): batch.call.deadline
    case .frame(let frame): frame.deadline
    }
  }

  var method: Method {
    switch self {
    case .call(let call): call.method
    case .batch: .detectBatch
    case .frame(let frame): frame.method
    }
  }
}

struct Job: Sendable {
  let requestID: RequestID
  let work: Work
}

/// The answer to a job.
struct Completion: Sendable {
  let requestID: RequestID
  let method: Method
  let answer: Answer
}
