import FaceCore
import Posix

/// Queues jobs and gives each worker its next turn: a job, or waiting for the connections. `JobSchedule` decides;
/// this adds the lock, the clock and the waiting threads. Safe to use from any thread.
final class JobScheduler: Sendable {
  typealias Turn = JobSchedule<CallWork>.Turn

  private let state: Monitor<JobSchedule<CallWork>>
  private let changed = Condition()
  /// Wakes the workers whose jobs are paused.
  private let resumed = Condition()
  /// The number of one user's jobs that may run at a time.
  let capacity: Int
  /// The time without a check of its job's token after which a worker is stuck.
  private let stuckTime: TimeSpan
  /// The same, from when no caller waits for the job.
  private let abandonedTime: TimeSpan

  /// - Parameter extra: how many jobs may run beyond `capacity`, each for a user with no other job running.
  init(
    capacity: Int, extra: Int, accounts: UserAccounts, stuckTime: TimeSpan, abandonedTime: TimeSpan
  ) {
    state = Monitor(JobSchedule(capacity: capacity, extra: extra, accounts: accounts, at: .now()))
    (self.capacity, self.stuckTime, self.abandonedTime) = (capacity, stuckTime, abandonedTime)
  }

  /// The workers that always exist.
  var permanentWorkers: Range<Int> { state.withLock { $0.permanentWorkers } }

  /// Queues a job. Throws `resourceExhausted` if too much is waiting already.
  func submit(_ job: CallJob) throws(Status) {
    wake(try state.withLock { (state) throws(Status) in try state.submit(job, at: .now()) })
  }

  /// Ends the turn of `worker` and queues the rest of its job, unless that was cancelled.
  func resubmit(_ job: CallJob, of worker: Int) {
    wake(state.withLock { $0.resubmit(job, of: worker, at: .now()) })
  }

  /// Ends the turn of `worker`, whose job is done.
  func finish(_ worker: Int) { wake(state.withLock { $0.finish(worker, at: .now()) }) }

  /// Replaces the job that waits on the stream of `job`.
  /// - Returns: the replaced job; `nil` if none waits and nothing was done.
  func replaceQueued(with job: CallJob) -> CallJob? {
    state.withLock { $0.replaceQueued(with: job) }
  }

  /// Forgets a call. A running one ends at the next stage of its work, and its answer is not sent.
  func cancel(_ requestID: RequestID) { wake(state.withLock { $0.cancel(requestID, at: .now()) }) }

  /// Forgets all calls of a closed connection.
  func cancelAll(ofConnection connection: UInt64, user: UInt32) {
    wake(state.withLock { $0.cancelAll(ofConnection: connection, user: user, at: .now()) })
  }

  /// Ends the workers after their running jobs; waiting jobs are forgotten.
  func stop() { wake(state.withLock { $0.stop() }) }

  /// The time of the next call of `takeExpired`.
  var nextExpiry: MonotonicTime { state.withLock { $0.nextExpiry } }

  /// Removes and returns the waiting jobs whose callers no longer wait.
  func takeExpired() -> [CallJob] {
    nextExpiry.isPast ? state.withLock { $0.takeExpired(at: .now()) } : []
  }

  /// Whether a job runs, also one for which no caller waits.
  var isRunning: Bool { state.withLock { $0.isRunning } }

  /// The time from which as many workers as one user may have are stuck: each at a job that has not checked its
  /// token for too long, or at one for which no caller waits any more. `never` if that is not in sight.
  var timeWhenStuck: MonotonicTime {
    state.withLock { $0.confirmedStuckTime(after: stuckTime, abandoned: abandonedTime, at: .now()) }
  }

  /// Whether as many workers as one user may have are at jobs that have not checked their tokens for too long.
  var hasLongStuck: Bool {
    timeWhenStuck.isPast && state.withLock { $0.stuckTime(after: stuckTime) }.isPast
  }

  /// The time since which the models have not been used; `nil` while they may be in use.
  var idleSince: MonotonicTime? { state.withLock { $0.idleSince } }

  /// Waits for the next turn of `worker`, whose last one has ended.
  /// - Parameter mayGrow: whether that may be to start a further worker.
  func nextTurn(of worker: Int, mayGrow: Bool) -> Turn {
    while true {
      let patience = state.withLock { $0.patience(at: .now()) }
      let next = state.wait(for: changed, until: patience) {
        $0.nextTurn(of: worker, at: .now(), mayGrow: mayGrow)
      }
      if let next {
        wake(next.wakes)
        guard case .run(let job, var token) = next.turn else { return next.turn }
        token.asked = { [self] in pause(worker) }
        return .run(job, token)
      }
      if state.withLock({ $0.retire(worker) }) { return .end }
    }
  }

  /// Notes that the job of `worker` begins to wait for what others hold, or continues.
  /// - Returns: whether a queued job may start in its place, now or later.
  func stall(_ worker: Int, _ isStalled: Bool) -> Bool {
    let wakes = state.withLock { $0.stall(worker, isStalled, at: .now()) }
    wake(wakes)
    return wakes.contains(.oneWaiting)
  }

  /// Forgets a further worker that got no thread.
  func discard(_ worker: Int) { state.withLock { $0.discard(worker) } }

  /// Returns when the job of `worker` may go on. Called at each check of its token.
  private func pause(_ worker: Int) {
    while true {
      let soon = MonotonicTime.now() + JobSchedule<CallWork>.longestWait
      let goesOn = state.wait(for: resumed, until: soon) { state -> Bool? in
        let (goesOn, wakes) = state.mayGoOn(worker, at: .now())
        wake(wakes)
        return goesOn ? true : nil
      }
      if goesOn != nil { return }
    }
  }

  private func wake(_ wakes: JobSchedule<CallWork>.Wakes) {
    if wakes.contains(.oneWaiting) { changed.wakeOne() }
    if wakes.contains(.allWaiting) { changed.wakeAll() }
    if wakes.contains(.paused) { resumed.wakeAll() }
  }
}
