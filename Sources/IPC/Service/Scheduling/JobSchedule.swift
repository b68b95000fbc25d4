package import FaceCore

/// The jobs that wait and run, and the next turn of each worker: what `JobScheduler` decides, as a value
/// without a lock, a thread or a clock.
///
/// The user whose jobs have taken the least time comes first (`FairQueue`), within a user its connections take
/// turns, and within a connection its streams; `WorkerSchedule` decides how many run.
package struct JobSchedule<Work: Sendable>: Sendable {
  /// The next turn of a worker.
  package enum Turn: Sendable {
    case run(Job<Work>, CancellationToken)
    /// Wait for the connections and handle what comes. One worker at a time.
    case poll
    /// Start a thread for a further worker, or `discard` it.
    case start(worker: Int)
    case end
  }

  /// The threads to wake after a change.
  package struct Wakes: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// One of the workers that wait for a turn.
    package static var oneWaiting: Wakes { Wakes(rawValue: 1) }
    package static var allWaiting: Wakes { Wakes(rawValue: 2) }
    /// The workers whose jobs are paused.
    package static var paused: Wakes { Wakes(rawValue: 4) }
  }

  private typealias ConnectionJobs = RoundRobinQueue<UInt32, Fifo<Job<Work>>>
  private typealias UserJobs = RoundRobinQueue<UInt64, ConnectionJobs>

  private struct RunningJob {
    let requestID: RequestID
    let canceller: Canceller
    let usesModels: Bool
  }

  private var schedule: WorkerSchedule<UserJobs>
  /// The running jobs by worker.
  private var jobs: [Int: RunningJob] = [:]
  private let accounts: UserAccounts
  /// A lower bound of the waiting jobs' deadlines, and the time of the next call of `takeExpired`; the job that
  /// had it may be gone.
  package private(set) var nextExpiry = MonotonicTime.never
  private var isStopping = false
  /// The end of the last job that used the models; before the first one, the time of creation.
  private var lastUse: MonotonicTime

  /// - Parameter extra: how many jobs may run beyond `capacity`, each for a user with no other job running.
  package init(capacity: Int, extra: Int, accounts: UserAccounts, at now: MonotonicTime) {
    schedule = WorkerSchedule(capacity: capacity, extra: extra)
    self.accounts = accounts
    lastUse = now
  }

  /// The time after which a paused job looks again whether it may go on.
  package static var longestWait: TimeSpan { .milliseconds(20) }

  /// The workers that always exist.
  package var permanentWorkers: Range<Int> { schedule.permanentWorkers }
  package var workerCount: Int { schedule.workerCount }

  /// Whether a job runs, also one for which no caller waits.
  package var isRunning: Bool { schedule.runningCount > 0 }

  /// The time since which the models have not been used; `nil` while they may be in use. Queries of the
  /// engine's state do not count.
  package var idleSince: MonotonicTime? { isRunning || !schedule.queue.isEmpty ? nil : lastUse }

  /// The number of users that are kept in mind.
  package var userCount: Int { schedule.queue.userCount }

  // MARK: Waiting jobs

  /// Queues a job. Throws `resourceExhausted` if too much is waiting already.
  package mutating func submit(_ job: Job<Work>, at now: MonotonicTime) throws(Status) -> Wakes {
    var job = job
    job.reservation = try accounts.reserve(job.amounts, for: job.requestID.user)
    // The first one is for the calling thread, which asks for its next turn soon.
    let isFirst = schedule.queue.isEmpty
    schedule.advance(to: now)
    append(job)
    return !isFirst && schedule.canStart ? .oneWaiting : []
  }

  /// Ends the turn of `worker` and queues the rest of its job, unless that was cancelled. Never refused, since
  /// the job was accepted as a whole.
  package mutating func resubmit(_ job: Job<Work>, of worker: Int, at now: MonotonicTime) -> Wakes {
    let isWanted = jobs[worker]?.canceller.isCancelled == false
    let wakes = finish(worker, at: now)
    if isWanted { append(reserved(job)) }
    return wakes
  }

  /// Replaces the job that waits on the stream of `job`.
  /// - Returns: the replaced job; `nil` if none waits and nothing was done.
  package mutating func replaceQueued(with job: Job<Work>) -> Job<Work>? {
    let job = reserved(job)
    let replaced = change(job.requestID) { waiting -> Job<Work>? in
      guard let old = waiting.popFirst() else { return nil }
      waiting.append(job)
      return old
    }
    if replaced != nil { nextExpiry = min(nextExpiry, job.deadline) }
    return replaced
  }

  /// Removes and returns the waiting jobs whose callers no longer wait.
  package mutating func takeExpired(at now: MonotonicTime) -> [Job<Work>] {
    guard nextExpiry <= now else { return [] }
    var next = MonotonicTime.never
    let expired = schedule.queue.removeAll { job in
      if job.deadline > now { next = min(next, job.deadline) }
      return job.deadline <= now
    }
    nextExpiry = next
    return expired.map { job in
      var job = job
      job.reservation = nil
      return job
    }
  }

  private func reserved(_ job: Job<Work>) -> Job<Work> {
    var job = job
    job.reservation = accounts.reserveUnchecked(job.amounts, for: job.requestID.user)
    return job
  }

  private mutating func append(_ job: Job<Work>) {
    nextExpiry = min(nextExpiry, job.deadline)
    change(job.requestID) { $0.append(job) }
  }

  /// Lets `body` change the jobs that wait on a stream.
  private mutating func change<Value>(
    _ requestID: RequestID, _ body: (inout Fifo<Job<Work>>) -> Value
  ) -> Value {
    schedule.queue.change(requestID.user) { user in
      user.change(requestID.connection) { streams in streams.change(requestID.stream, body) }
    }
  }

  // MARK: Cancelling

  /// Forgets a call. A running one ends at the next stage of its work, and its answer is not sent.
  package mutating func cancel(_ requestID: RequestID, at now: MonotonicTime) -> Wakes {
    change(requestID) { $0 = Fifo() }
    return cancelRunning(at: now) { $0 == requestID }
  }

  /// Forgets all calls of a closed connection.
  package mutating func cancelAll(
    ofConnection connection: UInt64, user: UInt32, at now: MonotonicTime
  ) -> Wakes {
    schedule.queue.change(user) { user in user.change(connection) { $0 = ConnectionJobs() } }
    return cancelRunning(at: now) { $0.connection == connection }
  }

  private mutating func cancelRunning(at now: MonotonicTime, where isMeant: (RequestID) -> Bool) -> Wakes {
    let meant = jobs.filter { isMeant($0.value.requestID) }
    for (worker, job) in meant {
      job.canceller.cancel()
      schedule.abandon(worker, from: now)
    }
    return meant.isEmpty ? [] : .paused
  }

  /// Ends the workers after their running jobs; waiting jobs are forgotten.
  package mutating func stop() -> Wakes {
    isStopping = true
    return [.allWaiting, .paused]
  }

  // MARK: Turns

  /// The next turn of `worker`, whose last one has ended; `nil` while there is nothing for it to do.
  /// - Parameter mayGrow: whether that may be to start a further worker.
  package mutating func nextTurn(
    of worker: Int, at now: MonotonicTime, mayGrow: Bool
  ) -> (turn: Turn, wakes: Wakes)? {
    if isStopping { return (.end, []) }
    switch schedule.nextStep(of: worker, at: now, mayGrow: mayGrow) {
    case .run(var job, let leavesMore):
      job.reservation = nil
      // Errors of a cancelled job are not sent: its caller was answered when it cancelled, or is gone.
      let canceller = Canceller()
      jobs[worker] = RunningJob(
        requestID: job.requestID, canceller: canceller, usesModels: job.usesModels)
      schedule.abandon(worker, from: job.deadline)
      assert(jobs.count == schedule.runningCount)
      // The worker that takes a turn makes sure that another one takes the next.
      return (
        .run(job, CancellationToken(deadline: job.deadline, owner: canceller)), leavesMore ? .oneWaiting : []
      )
    case .poll: return (.poll, [])
    case .start(let further): return (.start(worker: further), [])
    case nil: return nil
    }
  }

  /// Ends the turn of `worker`, whose job is done.
  package mutating func finish(_ worker: Int, at now: MonotonicTime) -> Wakes {
    schedule.finish(worker, at: now)
    if jobs.removeValue(forKey: worker)?.usesModels == true { lastUse = now }
    assert(jobs.count == schedule.runningCount)
    return .paused
  }

  /// Whether the job of `worker` may go on; if not, it asks again when it is woken, and after `longestWait`.
  package mutating func mayGoOn(_ worker: Int, at now: MonotonicTime) -> (goesOn: Bool, wakes: Wakes) {
    if isStopping { return (true, []) }
    let wasPaused = schedule.isPaused(worker)
    let goesOn = schedule.mayGoOn(worker, at: now)
    // Meanwhile a waiting user may have fallen far enough behind the users whose jobs run.
    let wakes: Wakes = schedule.canStart ? .oneWaiting : []
    // Another one may go on instead of one that is paused now, or that is still paused though there is room. One
    // that stays paused otherwise wakes nobody: two of them would wake each other without end.
    let wakesOthers = !goesOn && (!wasPaused || schedule.hasRoom(at: now))
    return (goesOn, wakesOthers ? wakes.union(.paused) : wakes)
  }

  /// Notes that the job of `worker` begins to wait for what others hold, or continues. If `oneWaiting` is to wake and no
  /// worker waits, the one that waits for the connections has to ask for a turn.
  package mutating func stall(_ worker: Int, _ isStalled: Bool, at now: MonotonicTime) -> Wakes {
    schedule.stall(worker, isStalled, at: now)
    guard isStalled else { return [] }
    // Also if the waiting job may start only later: the check that shows it needs a worker to wake.
    return schedule.canStart || !schedule.hasSpareWorker ? [.paused, .oneWaiting] : .paused
  }

  /// The time until which a worker without work waits before it asks `retire`.
  package func patience(at now: MonotonicTime) -> MonotonicTime { schedule.patience(at: now) }

  /// Forgets a worker that has waited in vain, unless it may be needed; returns whether it is to end.
  package mutating func retire(_ worker: Int) -> Bool { schedule.retire(worker) }

  /// Forgets a further worker that got no thread.
  package mutating func discard(_ worker: Int) { schedule.discard(worker) }

  // MARK: Stuck workers

  /// The time at which as many workers as one user may have are stuck; see `WorkerSchedule.stuckTime`.
  package func stuckTime(after stuckTime: TimeSpan) -> MonotonicTime { schedule.stuckTime(after: stuckTime) }

  /// The same, but never a time in the past before that has stayed the same for a while.
  package mutating func confirmedStuckTime(
    after stuckTime: TimeSpan, abandoned abandonedTime: TimeSpan, at now: MonotonicTime
  ) -> MonotonicTime {
    schedule.confirmedStuckTime(after: stuckTime, abandoned: abandonedTime, at: now)
  }
}
