public import FaceCore
import Logging
import Posix
import Wire

/// A call or a frame of a stream that came to its end.
struct CallRecord {
  let stream: UInt32
  /// `nil` where the request did not say.
  let method: Method?
  let trace: RequestTrace
  var failure: Status?
  /// `nil` for a call that was refused before it could wait.
  var timing: CallTiming?
  /// Bytes of the request, and of the answer.
  let size: Int
  var answerSize = 0

  init(stream: UInt32, method: Method?, trace: RequestTrace, failure: Status? = nil, size: Int) {
    (self.stream, self.method, self.trace) = (stream, method, trace)
    (self.failure, self.size) = (failure, size)
  }

  /// Of one that succeeded at once.
  init(_ call: Call, answerSize: Int = 0) {
    self.init(stream: call.stream, method: call.method, trace: call.trace, size: call.body.count)
    self.answerSize = answerSize
  }
}

/// Writes a line for each call, as logfmt, on the thread of its own writer. Any thread.
public struct AccessLog: Sendable {
  private let writer: LogWriter

  /// - Parameter write: takes whole lines and may wait.
  public init(_ write: @escaping @Sendable (String) -> Void) throws(Status) {
    writer = try LogWriter(label: "face-engine-access", linesPerSecond: .max, write)
  }

  /// Returns when all lines are written, or after so many nanoseconds.
  public func finish(within nanoseconds: Int64) { writer.finish(within: nanoseconds) }

  func write(_ record: CallRecord, _ peer: Peer, connection: UInt64) {
    writer.add(.info) {
      var fields: [(name: StaticString, value: String)] = [
        ("time", WallClock.timestamp), ("uid", "\(peer.user)"), ("pid", "\(peer.process)"),
        ("connection", "\(connection)"), ("stream", "\(record.stream)"),
        ("method", record.method?.fullName ?? "-"), ("status", "\(record.failure?.code.name ?? "OK")"),
        ("request_bytes", "\(record.size)"), ("response_bytes", "\(record.answerSize)"),
      ]
      if let timing = record.timing {
        fields.append(("queue_us", "\(timing.queue / 1000)"))
        if let run = timing.run { fields.append(("run_us", "\(run / 1000)")) }
      }
      if !record.trace.requestID.isEmpty { fields.append(("request_id", record.trace.requestID)) }
      if !record.trace.parent.isEmpty { fields.append(("traceparent", record.trace.parent)) }
      return fields.map { "\($0.name)=\(LogLine.quoted($0.value))" }.joined(separator: " ") + "\n"
    }
  }
}
