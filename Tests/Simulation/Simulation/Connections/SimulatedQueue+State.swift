import FaceCore
import Service

/// What the workers do, for the checks.
extension SimulatedQueue {
  var pollingWorker: Int? { numbers.first { if case .polling = workers[$0]?.state { true } else { false } } }

  /// Whether a worker runs the call or carries its answer.
  func isUnderWay(_ call: RequestID) -> Bool {
    workers.values.contains { worker in
      if case .delivering(let completion?) = worker.state { return completion.requestID == call }
      return worker.job?.requestID == call
    }
  }

  /// The longest time between two checks of a call that is under way; `nil` if it is not.
  func step(of stream: UInt32, connection: UInt64) -> TimeSpan? {
    for worker in workers.values {
      if case .delivering(let completion?) = worker.state, completion.requestID.connection == connection,
        completion.requestID.stream == stream
      {
        // The call noticed its deadline at most this late.
        return worker.step
      }
      if let call = worker.job?.requestID, call.connection == connection, call.stream == stream {
        return worker.step
      }
    }
    return nil
  }

  /// Whether a call waits, runs or carries its answer.
  var isBusy: Bool {
    !waiting.isEmpty || schedule.isRunning
      || workers.values.contains { if case .delivering = $0.state { true } else { false } }
  }

  /// What each worker does, for findings.
  var states: [String] { numbers.compactMap { workers[$0].map { "\($0.state)" } } }
}
