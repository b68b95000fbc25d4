public import FaceCore
import Logging
import Posix
import Wire

/// A finished call, or a finished frame of a stream.
struct CallRecord {
  let stream: UInt32
  /// The method; `nil` if the request did not say.
  let method: Method?
  let trace: RequestTrace
  var failure: Status?
  /// The times; `nil` for a call that was refused before it could wait.
  var timing: CallTiming?
  /// The size of the request, and of the answer below, in bytes.
  let size: Int
  var answerSize = 0
}

/// Writes a logfmt line for each call, on its writer's thread. Safe to use from any thread.
public struct AccessLog: Sendable {
  private let writer: LogWriter

  /// - Parameter write: receives whole lines; it may block.
  public init(_ write: @escaping @Sendable (String) -> Void) throws(Status) {
    writer = try LogWriter(label: "face-engine-access", linesPerSecond: .max, write)
  }

  /// Returns when all lines are written, or after the given time.
  public func finish(within span: TimeSpan) { writer.finish(within: span) }

  func write(_ record: CallRecord, _ peer: Peer, connection: UInt64) {
    writer.add(.info) {
      var fields: [(name: StaticString, value: String)] = [
        ("time", WallClock.timestamp), ("uid", "\(peer.user)"), ("pid", "\(peer.process)"),
        ("connection", "\(connection)"), ("stream", "\(record.stream)"),
        ("method", record.method?.fullName ?? "-"), ("status", "\(record.failure?.code.name ?? "OK")"),
        ("request_bytes", "\(record.size)"), ("response_bytes", "\(record.answerSize)"),
      ]
      if let timing = record.timing {
        fields.append(("queue_us", "\(timing.queue / .microseconds(1))"))
        if let run = timing.run { fields.append(("run_us", "\(run / .microseconds(1))")) }
      }
      if !record.trace.requestID.isEmpty { fields.append(("request_id", record.trace.requestID)) }
      if !record.trace.parent.isEmpty { fields.append(("traceparent", record.trace.parent)) }
      return fields.map { "\($0.name)=\(LogLine.quoted($0.value))" }.joined(separator: " ") + "\n"
    }
  }
}
