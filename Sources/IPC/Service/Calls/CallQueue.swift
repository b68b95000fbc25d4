package import FaceCore

/// Where calls wait for a worker. `WorkerPool` is the real one; a simulation has one without threads.
package protocol CallQueue: AnyObject {
  /// The number of one user's jobs that may run at a time.
  var capacity: Int { get }
  /// Queues a job. Throws `resourceExhausted` if too much is waiting already.
  func submit(_ job: CallJob) throws(Status)
  /// Replaces the job that waits on the stream of `job`.
  /// - Returns: the replaced job; `nil` if none waits and nothing was done.
  func replaceQueued(with job: CallJob) -> CallJob?
  /// Forgets a call. A running one ends at the next stage of its work, and its answer is not sent.
  func cancel(_ requestID: RequestID)
  /// Forgets all calls of a closed connection.
  func cancelAll(ofConnection connection: UInt64, user: UInt32)
  var nextExpiry: MonotonicTime { get }
  /// Removes and returns the waiting jobs whose callers no longer wait.
  func takeExpired() -> [CallJob]
  /// Whether a job runs, also one for which no caller waits.
  var isRunning: Bool { get }
  /// The time from which as many workers as one user may have are stuck: each at a job that has not checked its
  /// token for too long, or at one for which no caller waits any more. `never` if that is not in sight.
  var timeWhenStuck: MonotonicTime { get }
}
