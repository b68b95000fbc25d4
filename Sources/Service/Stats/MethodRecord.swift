import FaceCore
import Wire

/// How long a call waited and ran, in nanoseconds.
struct CallTiming: Sendable, BitwiseCopyable {
  var queue: Int64
  /// `nil` for a call that was refused when its turn came.
  var run: Int64?
}

/// What became of the calls of one method.
struct MethodRecord: Sendable {
  private var calls = 0
  private var failures: [StatusCode: Int] = [:]
  private var queueTime = Histogram()
  private var runTime = Histogram()
  private var ends: [StatusCode: Int] = [:]

  /// - Parameter timing: `nil` for a call that was refused before it could wait.
  mutating func add(_ failure: StatusCode?, _ timing: CallTiming?) {
    calls += 1
    if let failure { failures[failure, default: 0] += 1 }
    guard let timing else { return }
    queueTime.record(timing.queue)
    if let run = timing.run { runTime.record(run) }
  }

  /// A stream has ended.
  mutating func addEnd(_ code: StatusCode) {
    ends[code, default: 0] += 1
  }

  func stats(of method: Method) -> MethodStats {
    MethodStats(
      method: method.fullName, calls: calls, failures: failures, queueTime: queueTime.summary,
      runTime: runTime.summary, ends: ends)
  }
}
