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
/// within a connection its streams. One user's jobs never take all workers: one worker more than `capacity`
/// is there for others, so that an occasional caller does not wait for a constant one. The scheduler knows
/// neither the threads nor the event loop. Safe to use from any thread.
final class JobScheduler: Sendable {
  /// The next turn of a worker.
  enum Turn: Sendable {
    case run(Job, CancellationToken)
    /// Wait for the connections and handle what comes. One worker at a time.
    case poll
    case end
  }

  private typealias ConnectionJobs = RoundRobinQueue<UInt32, Fifo<Job>>
  private typealias UserJobs = RoundRobinQueue<UInt64, ConnectionJobs>

  private struct Running {
    let requestID: RequestID
    let canceller: Canceller
    let began: MonotonicTime
    let usesModels: Bool
  }

  private struct State {
    var queue = FairQueue<UserJobs>()
    /// The running jobs by worker. A worker's entry is removed when it asks for its next turn.
    var running: [Int: Running] = [:]
    /// A lower bound of the waiting jobs' deadlines; the job that had it may be gone.
    var earliestDeadline = MonotonicTime.never
    /// The worker that waits for the connections.
    var pollingWorker: Int?
    var isStopping = false
    /// The end of the last job that used the models; before the first one, the time of creation.
    var lastUse = MonotonicTime.now()

    mutating func append(_ job: Job) {
      earliestDeadline = min(earliestDeadline, job.deadline)
      change(job.requestID) { $0.append(job) }
    }

    /// Lets `body` change the jobs that wait on a stream.
    mutating func change<Value>(_ requestID: RequestID, _ body: (inout Fifo<Job>) -> Value) -> Value {
      queue.change(requestID.user) { user in
        user.change(requestID.connection) { streams in streams.change(requestID.stream, body) }
      }
    }

    func cancelRunning(where isMeant: (RequestID) -> Bool) {
      for job in running.values where isMeant(job.requestID) { job.canceller.cancel() }
    }
  }

  private let state = Monitor(State())
  private let changed = Condition()
  private let accounts: UserAccounts
  /// The number of one user's jobs that may run at a time; all users together may run one more.
  let capacity: Int

  init(capacity: Int, accounts: UserAccounts) {
    self.capacity = capacity
    self.accounts = accounts
  }

  /// Queues a job. Throws `resourceExhausted` if too much is waiting already.
  func submit(_ job: Job) throws(Status) {
    var job = job
    job.reservation = try accounts.reserve(job.amounts, for: job.requestID.user)
    let isFirst = state.withLock { state in
      defer { state.append(job) }
      return state.queue.isEmpty
    }
    // The first one is for the calling thread, which asks for its next turn soon.
    if !isFirst { changed.wakeOne() }
  }

  /// Queues the rest of the job that `worker` runs, unless it was cancelled. Never refused, since the job was
  /// accepted as a whole.
  func resubmit(_ job: Job, of worker: Int) {
    var job = job
    job.reservation = accounts.reserveUnchecked(job.amounts, for: job.requestID.user)
    state.withLock { state in
      guard state.running[worker]?.canceller.isCancelled == false else { return }
      state.append(job)
    }
  }

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
  }

  /// Forgets all calls of a closed connection.
  func cancelAll(ofConnection connection: UInt64, user: UInt32) {
    state.withLock { state in
      state.queue.change(user) { user in user.change(connection) { $0 = ConnectionJobs() } }
      state.cancelRunning { $0.connection == connection }
    }
  }

  /// Ends the workers after their running jobs; waiting jobs are forgotten.
  func stop() {
    state.withLock { state in state.isStopping = true }
    changed.wakeAll()
  }

  /// The time of the next call of `takeExpired`.
  var nextExpiry: MonotonicTime { state.withLock { $0.earliestDeadline } }

  /// Removes and returns the waiting jobs whose callers no longer wait.
  func takeExpired() -> [Job] {
    guard nextExpiry.isPast else { return [] }
    let now = MonotonicTime.now()
    return state.withLock { state in
      var next = MonotonicTime.never
      let expired = state.queue.removeAll { job in
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

  /// The time for which at least `capacity` workers have been busy, in nanoseconds; 0 if fewer are.
  func busyTime(at now: MonotonicTime) -> Int64 {
    let began = state.withLock { $0.running.values.map(\.began) }
    return began.count < capacity ? 0 : now.nanoseconds - began.sorted()[capacity - 1].nanoseconds
  }

  /// The time since which the models have not been used; `nil` while they may be in use. Queries of the
  /// engine's state do not count.
  var idleSince: MonotonicTime? {
    state.withLock { $0.running.isEmpty && $0.queue.isEmpty ? $0.lastUse : nil }
  }

  /// Waits for the next turn of `worker`, whose last one has ended.
  func nextTurn(of worker: Int) -> Turn {
    let next = state.wait(for: changed) { state -> (turn: Turn, leavesMore: Bool)? in
      let now = MonotonicTime.now()
      if let ended = state.running.removeValue(forKey: worker) {
        state.queue.finish(ended.requestID.user, began: ended.began, at: now)
        if ended.usesModels { state.lastUse = now }
      }
      if state.pollingWorker == worker { state.pollingWorker = nil }
      if state.isStopping { return (.end, false) }
      if state.running.count <= capacity, var job = state.queue.start(at: now, limit: capacity) {
        job.reservation = nil
        // Errors of a cancelled job are not sent: its caller was answered when it cancelled, or is gone.
        let canceller = Canceller()
        state.running[worker] = Running(
          requestID: job.requestID, canceller: canceller, began: now, usesModels: job.usesModels)
        let hasMore = state.running.count <= capacity && state.queue.canStart(limit: capacity)
        let token = CancellationToken(deadline: job.deadline, owner: canceller)
        return (.run(job, token), state.pollingWorker == nil || hasMore)
      }
      guard state.pollingWorker == nil else { return nil }
      state.pollingWorker = worker
      return (.poll, false)
    }
    guard let next else { return .end }
    // The worker that takes a turn makes sure that another one takes the next.
    if next.leavesMore { changed.wakeOne() }
    return next.turn
  }
}
