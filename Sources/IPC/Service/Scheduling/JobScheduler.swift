import FaceCore
import Posix
import Wire

/// Identifies one call of one connection; no two calls have the same value.
struct RequestID: Hashable, Sendable {
  let user: UInt32
  let connection: UInt64
  let stream: UInt32
  /// Distinguishes calls that used the same stream number one after the other.
  let serial: UInt64
}

/// The work of a worker in one turn.
struct Job: Sendable {
  enum Work: Sendable {
    case call(Call)
    case batch(Batch)
    case frame(StreamFrame)
  }

  let requestID: RequestID
  let work: Work
  /// The reservation for its place in the queue; `nil` if it is not queued.
  fileprivate var reservation: Reservation?

  init(requestID: RequestID, work: Work) {
    self.requestID = requestID
    self.work = work
  }

  /// The amounts that it takes up in the queue.
  fileprivate var amounts: UserAccount { UserAccount(queuedCalls: 1, queuedBytes: size) }

  /// Whether it detects or loads a model, unlike a query of the engine's state.
  var usesModels: Bool {
    switch method {
    case .detect, .detectBatch, .watch, .check, .reloadModel: true
    case .hello, .healthCheck, .healthWatch, .info, .stats, .listModels, .takeOver, .describe: false
    }
  }

  /// The size of its message in bytes.
  var size: Int {
    switch work {
    case .call(let call): call.body.count
    case .batch(let batch): batch.call.body.count
    case .frame(let frame): frame.body.count
    }
  }

  var trace: RequestTrace {
    switch work {
    case .call(let call): call.trace
    case .batch(let batch): batch.call.trace
    case .frame(let frame): frame.trace
    }
  }

  /// The time at which its caller stops waiting.
  fileprivate var deadline: MonotonicTime {
    switch work {
    case .call(let call): call.deadline
    case .batch(let batch): batch.call.deadline
    case .frame(let frame): frame.deadline
    }
  }

  var method: Method {
    switch work {
    case .call(let call): call.method
    case .batch(let batch): batch.call.method
    case .frame(let frame): frame.method
    }
  }
}

/// Queues jobs and gives each worker its next turn: a job, or waiting for the connections.
///
/// The user whose jobs have taken the least time comes first, within a user its connections take turns, and
/// within a connection its streams; `WorkerSchedule` decides how many run. The scheduler knows neither the
/// threads nor the event loop. Safe to use from any thread.
final class JobScheduler: Sendable {
  /// The next turn of a worker.
  enum Turn: Sendable {
    case run(Job, CancellationToken)
    /// Wait for the connections and handle what comes. One worker at a time.
    case poll
    /// Start a thread for a further worker, or `discard` it.
    case start(worker: Int)
    case end
  }

  private typealias ConnectionJobs = RoundRobinQueue<UInt32, Fifo<Job>>
  private typealias UserJobs = RoundRobinQueue<UInt64, ConnectionJobs>

  private struct RunningJob {
    let requestID: RequestID
    let canceller: Canceller
    let usesModels: Bool
  }

  private struct State {
    var schedule: WorkerSchedule<UserJobs>
    /// The running jobs by worker.
    var jobs: [Int: RunningJob] = [:]
    /// A lower bound of the waiting jobs' deadlines; the job that had it may be gone.
    var earliestDeadline = MonotonicTime.never
    var isStopping = false
    /// The end of the last job that used the models; before the first one, the time of creation.
    var lastUse = MonotonicTime.now()

    mutating func append(_ job: Job) {
      earliestDeadline = min(earliestDeadline, job.deadline)
      change(job.requestID) { $0.append(job) }
    }

    /// Lets `body` change the jobs that wait on a stream.
    mutating func change<Value>(_ requestID: RequestID, _ body: (inout Fifo<Job>) -> Value) -> Value {
      schedule.queue.change(requestID.user) { user in
        user.change(requestID.connection) { streams in streams.change(requestID.stream, body) }
      }
    }

    mutating func start(_ job: Job, on worker: Int) -> Canceller {
      // Errors of a cancelled job are not sent: its caller was answered when it cancelled, or is gone.
      let canceller = Canceller()
      jobs[worker] = RunningJob(
        requestID: job.requestID, canceller: canceller, usesModels: job.usesModels)
      schedule.abandon(worker, from: job.deadline)
      return canceller
    }

    mutating func finish(_ worker: Int) {
      let now = MonotonicTime.now()
      schedule.finish(worker, at: now)
      if jobs.removeValue(forKey: worker)?.usesModels == true { lastUse = now }
    }

    mutating func cancelRunning(where isMeant: (RequestID) -> Bool) {
      for (worker, job) in jobs where isMeant(job.requestID) {
        job.canceller.cancel()
        schedule.abandon(worker, from: .now())
      }
    }
  }

  private let state: Monitor<State>
  private let changed = Condition()
  /// Wakes the workers whose jobs are paused.
  private let resumed = Condition()
  private let accounts: UserAccounts
  /// The number of one user's jobs that may run at a time.
  let capacity: Int
  /// The time without a check of its job's token after which a worker is stuck.
  private let stuckTime: TimeSpan
  /// The same, from when no caller waits for the job.
  private let abandonedTime: TimeSpan

  /// - Parameter extra: the number of jobs beyond `capacity` that run for users of whom no other runs.
  init(
    capacity: Int, extra: Int, accounts: UserAccounts, stuckTime: TimeSpan, abandonedTime: TimeSpan
  ) {
    state = Monitor(State(schedule: WorkerSchedule(capacity: capacity, extra: extra)))
    self.capacity = capacity
    self.accounts = accounts
    self.stuckTime = stuckTime
    self.abandonedTime = abandonedTime
  }

  /// The workers that always exist.
  var permanentWorkers: Range<Int> { state.withLock { $0.schedule.permanentWorkers } }

  /// Queues a job. Throws `resourceExhausted` if too much is waiting already.
  func submit(_ job: Job) throws(Status) {
    var job = job
    job.reservation = try accounts.reserve(job.amounts, for: job.requestID.user)
    let isFirst = state.withLock { state in
      defer { state.append(job) }
      return state.schedule.queue.isEmpty
    }
    // The first one is for the calling thread, which asks for its next turn soon.
    if !isFirst { changed.wakeOne() }
  }

  /// Ends the turn of `worker` and queues the rest of its job, unless that was cancelled. Never refused, since
  /// the job was accepted as a whole.
  func resubmit(_ job: Job, of worker: Int) {
    var job = job
    job.reservation = accounts.reserveUnchecked(job.amounts, for: job.requestID.user)
    state.withLock { state in
      let isWanted = state.jobs[worker]?.canceller.isCancelled == false
      state.finish(worker)
      if isWanted { state.append(job) }
    }
    resumed.wakeAll()
  }

  /// Ends the turn of `worker`, whose job is done.
  func finish(_ worker: Int) {
    state.withLock { $0.finish(worker) }
    resumed.wakeAll()
  }

  /// Returns when the job of `worker` may go on. Called at each check of its token.
  private func pause(_ worker: Int) {
    while true {
      let soon = MonotonicTime.now() + Self.longestWait
      let goesOn = state.wait(for: resumed, until: soon) { state -> Bool? in
        let now = MonotonicTime.now()
        if state.isStopping { return true }
        let goesOn = state.schedule.mayGoOn(worker, at: now)
        // By now, a user may be far enough behind those of whom jobs run.
        if state.schedule.canStart(at: now) { changed.wakeOne() }
        if goesOn { return true }
        // Another one may go on instead.
        resumed.wakeAll()
        return nil
      }
      if goesOn != nil { return }
    }
  }

  /// The time after which a paused job looks again whether it may go on.
  private static let longestWait: TimeSpan = .milliseconds(20)

  /// Replaces the job that waits on the stream of `job`.
  /// - Returns: the replaced job; `nil` if none waits and nothing was done.
  func replaceQueued(with job: Job) -> Job? {
    var job = job
    job.reservation = accounts.reserveUnchecked(job.amounts, for: job.requestID.user)
    return state.withLock { state in
      state.earliestDeadline = min(state.earliestDeadline, job.deadline)
      return state.change(job.requestID) { waiting in
        guard let old = waiting.popFirst() else { return nil }
        waiting.append(job)
        return old
      }
    }
  }

  /// Forgets a call. A running one ends at the next stage of its work, and its answer is not sent.
  func cancel(_ requestID: RequestID) {
    state.withLock { state in
      state.change(requestID) { $0 = Fifo() }
      state.cancelRunning { $0 == requestID }
    }
    resumed.wakeAll()
  }

  /// Forgets all calls of a closed connection.
  func cancelAll(ofConnection connection: UInt64, user: UInt32) {
    state.withLock { state in
      state.schedule.queue.change(user) { user in user.change(connection) { $0 = ConnectionJobs() } }
      state.cancelRunning { $0.connection == connection }
    }
    resumed.wakeAll()
  }

  /// Ends the workers after their running jobs; waiting jobs are forgotten.
  func stop() {
    state.withLock { state in state.isStopping = true }
    changed.wakeAll()
    resumed.wakeAll()
  }

  /// The time of the next call of `takeExpired`.
  var nextExpiry: MonotonicTime { state.withLock { $0.earliestDeadline } }

  /// Removes and returns the waiting jobs whose callers no longer wait.
  func takeExpired() -> [Job] {
    guard nextExpiry.isPast else { return [] }
    let now = MonotonicTime.now()
    return state.withLock { state in
      var next = MonotonicTime.never
      let expired = state.schedule.queue.removeAll { job in
        if job.deadline > now { next = min(next, job.deadline) }
        return job.deadline <= now
      }
      state.earliestDeadline = next
      return expired.map { job in
        var job = job
        job.reservation = nil
        return job
      }
    }
  }

  /// Whether a job runs, also one for which no caller waits.
  var isRunning: Bool { state.withLock { $0.schedule.runningCount > 0 } }

  /// The time from which as many workers as one user may have are stuck: each at a job that has not checked its
  /// token for too long, or at one for which no caller waits any more. `never` if that is not in sight.
  var timeWhenStuck: MonotonicTime {
    state.withLock {
      $0.schedule.confirmedStuckTime(after: stuckTime, abandoned: abandonedTime, at: .now())
    }
  }

  /// Whether as many workers as one user may have are at jobs that have not checked their tokens for too long.
  var hasLongStuck: Bool {
    timeWhenStuck.isPast && state.withLock { $0.schedule.stuckTime(after: stuckTime) }.isPast
  }

  /// The time since which the models have not been used; `nil` while they may be in use. Queries of the
  /// engine's state do not count.
  var idleSince: MonotonicTime? {
    state.withLock { $0.schedule.runningCount == 0 && $0.schedule.queue.isEmpty ? $0.lastUse : nil }
  }

  /// Waits for the next turn of `worker`, whose last one has ended.
  /// - Parameter mayGrow: whether that may be to start a further worker.
  func nextTurn(of worker: Int, mayGrow: Bool) -> Turn {
    while true {
      let patience = state.withLock { $0.schedule.patience(at: .now()) }
      let next = state.wait(for: changed, until: patience) { state -> (turn: Turn, leavesMore: Bool)? in
        if state.isStopping { return (.end, false) }
        switch state.schedule.nextStep(of: worker, at: .now(), mayGrow: mayGrow) {
        case .run(var job, let leavesMore):
          job.reservation = nil
          var token = CancellationToken(deadline: job.deadline, owner: state.start(job, on: worker))
          token.asked = { [self] in pause(worker) }
          return (.run(job, token), leavesMore)
        case .poll: return (.poll, false)
        case .start(let further): return (.start(worker: further), false)
        case nil: return nil
        }
      }
      if let next {
        // The worker that takes a turn makes sure that another one takes the next.
        if next.leavesMore { changed.wakeOne() }
        return next.turn
      }
      if state.withLock({ $0.schedule.retire(worker, at: .now()) }) { return .end }
    }
  }

  /// Forgets a further worker that got no thread.
  func discard(_ worker: Int) { state.withLock { $0.schedule.discard(worker) } }
}
