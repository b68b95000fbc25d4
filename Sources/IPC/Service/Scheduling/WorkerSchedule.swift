package import FaceCore

/// Decides what the workers of an engine do: run a job, wait for the connections, start a further worker, or end; and
/// which jobs wait, pause and expire. A value without a lock, a thread or a clock: `WorkerPool` has those.
///
/// Up to `capacity` jobs run, those of the users who have used the least time (`FairQueue`); within a user its
/// connections take turns, and within a connection its streams. Up to `extra` more run, each for a user who runs
/// nothing else and has used little time or has short jobs. So no user waits for another one's long call. If more than
/// `capacity` run, those whose users have used most are paused when they ask `mayGoOn`, as they do every few
/// milliseconds. One worker is always left for the connections.
///
/// A job that waits for what others hold is stalled: its worker does nothing, and others run in its place.
package struct WorkerSchedule<Work: Sendable>: Sendable {
  /// The next turn of a worker.
  package enum Turn: Sendable {
    case run(Job<Work>, CancellationToken)
    /// Wait for the connections and handle what comes. One worker at a time.
    case poll
    /// Start a thread for a further worker, or `discard` it; then ask again.
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

  /// A job that a worker has begun.
  private struct BegunJob {
    let worker: Int
    let requestID: RequestID
    let usesModels: Bool
    let canceller = Canceller()
    var isPaused = false
    var isStalled = false
    /// The time for which it has gone on.
    var had = TimeSpan.zero
    /// The last time at which it began or asked whether it may go on.
    var lastSign: MonotonicTime
    /// The time from which no caller waits for it.
    var abandoned: MonotonicTime
  }

  private var queue = FairQueue<UserJobs>()
  private var begun: [BegunJob] = []
  private let accounts: UserAccounts
  private let capacity: Int
  private let extra: Int
  package private(set) var workerCount: Int
  private var lastWorker: Int
  private var pollingWorker: Int?
  private var isStopping = false
  /// The time up to which jobs are charged to their users.
  private var present = MonotonicTime(nanoseconds: 0)
  /// A lower bound of the waiting jobs' deadlines, and the time of the next call of `takeExpired`; the job that
  /// had it may be gone.
  package private(set) var nextExpiry = MonotonicTime.never
  /// The end of the last job that used the models; before the first one, the time of creation.
  private var lastUse: MonotonicTime
  /// The time from which workers seem stuck, and the time at which that was seen.
  private var doubt: (due: MonotonicTime, seen: MonotonicTime)?

  /// The time that a job has before it makes way for others.
  private static var slice: TimeSpan { FairQueue<UserJobs>.slice }

  /// The time without a sign after which a job counts no more among those that others make way for: it cannot be
  /// interrupted, or waits for what a paused one holds.
  private static var silence: TimeSpan { .milliseconds(200) }

  /// How long workers have to seem stuck before they count as stuck: when the whole process was stopped, as
  /// by SIGSTOP, all of them seem so until they have run again.
  private static var doubtTime: TimeSpan { .milliseconds(500) }

  /// How long further workers wait for something to do before they end.
  private static var idleTime: TimeSpan { .seconds(10) }

  /// The time after which a paused job looks again whether it may go on.
  package static var longestWait: TimeSpan { .milliseconds(20) }

  /// - Parameters:
  ///   - capacity: the number of one user's jobs that run at a time.
  ///   - extra: the number of jobs beyond it that run for users who run nothing else, at least 1.
  package init(capacity: Int, extra: Int, accounts: UserAccounts, at now: MonotonicTime) {
    (self.capacity, self.extra, self.accounts) = (capacity, extra, accounts)
    workerCount = capacity + 2
    lastWorker = capacity + 1
    lastUse = now
  }

  /// The numbers of the workers that always exist: those for one user's jobs, one for another user's, and one for
  /// the connections.
  package var permanentWorkers: Range<Int> { 0..<capacity + 2 }

  /// Whether a job runs, also one for which no caller waits.
  package var isRunning: Bool { !begun.isEmpty }

  /// The time since which the models have not been used; `nil` while they may be in use. Queries of the
  /// engine's state do not count.
  package var idleSince: MonotonicTime? { isRunning || !queue.isEmpty ? nil : lastUse }

  /// The number of users that are kept in mind.
  package var userCount: Int { queue.userCount }

  // MARK: Waiting jobs

  /// Queues a job. Throws `resourceExhausted` if too much is waiting already.
  package mutating func submit(_ job: Job<Work>, at now: MonotonicTime) throws(Status) -> Wakes {
    var job = job
    job.reservation = try accounts.reserve(job.amounts, for: job.requestID.user)
    // The first one is for the calling thread, which asks for its next turn soon.
    let isFirst = queue.isEmpty
    advance(to: now)
    append(job)
    return !isFirst && canStart ? .oneWaiting : []
  }

  /// Ends the turn of `worker` and queues the rest of its job, unless that was cancelled. Never refused, since
  /// the job was accepted as a whole.
  package mutating func resubmit(_ job: Job<Work>, of worker: Int, at now: MonotonicTime) -> Wakes {
    let isWanted = index(of: worker).map { begun[$0].canceller.isCancelled } == false
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
    let expired = queue.removeAll { job in
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
    queue.change(requestID.user) { user in
      user.change(requestID.connection) { streams in streams.change(requestID.stream, body) }
    }
  }

  // MARK: Cancelling

  /// Forgets a call. A running one ends at the next stage of its work, and its answer is not sent.
  package mutating func cancel(_ requestID: RequestID, at now: MonotonicTime) -> Wakes {
    change(requestID) { $0 = Fifo() }
    return cancelBegun(at: now) { $0 == requestID }
  }

  /// Forgets all calls of a closed connection.
  package mutating func cancelAll(
    ofConnection connection: UInt64, user: UInt32, at now: MonotonicTime
  ) -> Wakes {
    queue.change(user) { user in user.change(connection) { $0 = ConnectionJobs() } }
    return cancelBegun(at: now) { $0.connection == connection }
  }

  private mutating func cancelBegun(at now: MonotonicTime, where isMeant: (RequestID) -> Bool) -> Wakes {
    let meant = begun.indices.filter { isMeant(begun[$0].requestID) }
    for index in meant {
      // Errors of a cancelled job are not sent: its caller was answered when it cancelled, or is gone.
      begun[index].canceller.cancel()
      begun[index].abandoned = min(begun[index].abandoned, now)
    }
    return meant.isEmpty ? [] : .paused
  }

  /// Ends the workers after their running jobs; waiting jobs are forgotten.
  package mutating func stop() -> Wakes {
    isStopping = true
    return [.allWaiting, .paused]
  }

  // MARK: Turns

  /// The begun jobs that others make way for.
  private var running: [BegunJob] { begun.filter { !$0.isStalled } }

  /// How many jobs of a user may run for another one of them to start.
  private var limit: Int { running.count < capacity ? capacity : 1 }

  /// The time that a user of long jobs may have used to start one: any while fewer than `capacity` run, then no
  /// more than a job's that would make way for it.
  private var mostUsed: TimeSpan {
    let running = running
    return running.count < capacity
      ? .max : running.map { queue.used(by: $0.requestID.user) }.sorted()[capacity - 1]
  }

  /// Whether a job may start now.
  private var canStart: Bool {
    running.count < capacity + extra && !queue.isEmpty && queue.canStart(limit: limit, beside: mostUsed)
  }

  private var hasFurtherWorkers: Bool { workerCount > permanentWorkers.count }

  /// Whether a worker beside the one for the connections can start what waits, now or when a check of another job
  /// shows that it may start.
  private var hasSpareWorker: Bool {
    queue.isEmpty || running.count >= capacity + extra || begun.count + 2 <= workerCount
  }

  private func index(of worker: Int) -> Int? { begun.firstIndex { $0.worker == worker } }

  /// Charges users for what has gone on until `now`.
  private mutating func advance(to now: MonotonicTime) {
    let time = now - present
    present = now
    for index in begun.indices where !begun[index].isPaused && !begun[index].isStalled {
      begun[index].had += time
      queue.charge(begun[index].requestID.user, time)
    }
  }

  /// The next turn of `worker`, whose last one has ended; `nil` while there is nothing for it to do.
  /// - Parameter mayGrow: whether that may be to start a further worker.
  package mutating func nextTurn(
    of worker: Int, at now: MonotonicTime, mayGrow: Bool
  ) -> (turn: Turn, wakes: Wakes)? {
    if isStopping { return (.end, []) }
    advance(to: now)
    if pollingWorker == worker { pollingWorker = nil }
    if canStart, begun.count + 1 < workerCount,
      var job = queue.start(limit: limit, beside: mostUsed)?.element
    {
      assert(index(of: worker) == nil, "a worker runs one job")
      job.reservation = nil
      let own = BegunJob(
        worker: worker, requestID: job.requestID, usesModels: job.usesModels, lastSign: now,
        abandoned: job.deadline)
      begun.append(own)
      // The worker that takes a turn makes sure that another one waits for the connections.
      return (
        .run(job, CancellationToken(deadline: job.deadline, owner: own.canceller)),
        pollingWorker == nil ? .oneWaiting : []
      )
    }
    if mayGrow, !hasSpareWorker {
      lastWorker += 1
      workerCount += 1
      return (.start(worker: lastWorker), [])
    }
    guard pollingWorker == nil else { return nil }
    pollingWorker = worker
    return (.poll, [])
  }

  /// Ends the turn of `worker`, whose job is done.
  package mutating func finish(_ worker: Int, at now: MonotonicTime) -> Wakes {
    advance(to: now)
    guard let index = index(of: worker) else { return .paused }
    let ended = begun.remove(at: index)
    assert(!ended.isStalled, "a job that waits has not ended")
    queue.finish(ended.requestID.user, cost: ended.had)
    if ended.usesModels { lastUse = now }
    return .paused
  }

  /// Whether the job of `worker` may go on. If not, it is paused: it asks again when it is woken, and after
  /// `longestWait`.
  package mutating func mayGoOn(_ worker: Int, at now: MonotonicTime) -> (goesOn: Bool, wakes: Wakes) {
    if isStopping { return (true, []) }
    advance(to: now)
    guard let own = index(of: worker) else { return (true, []) }
    let wasPaused = begun[own].isPaused
    begun[own].lastSign = now
    // One for which no caller waits ends at this check, and a pause would only delay that.
    let goesOn = begun[own].had < Self.slice || begun[own].abandoned <= now || isFavoured(own, at: now)
    begun[own].isPaused = !goesOn
    // Meanwhile a waiting user may have fallen far enough behind the users whose jobs run.
    let wakes: Wakes = canStart ? .oneWaiting : []
    // Another one may go on instead of one that is paused now, or that is still paused though there is room. One
    // that stays paused otherwise wakes nobody: two of them would wake each other without end.
    let wakesOthers = !goesOn && (!wasPaused || hasRoom(at: now))
    return (goesOn, wakesOthers ? wakes.union(.paused) : wakes)
  }

  private func isLive(_ job: BegunJob, at now: MonotonicTime) -> Bool {
    !job.isStalled && job.lastSign + Self.silence > now
  }

  /// Whether one more job may go on.
  private func hasRoom(at now: MonotonicTime) -> Bool {
    begun.count { !$0.isPaused && isLive($0, at: now) } < capacity
  }

  /// Whether a job is among the `capacity` whose users have used the least time. One that continues keeps its place
  /// for a slice.
  private func isFavoured(_ own: Int, at now: MonotonicTime) -> Bool {
    func place(_ job: BegunJob) -> (TimeSpan, Int) {
      let used = queue.used(by: job.requestID.user)
      return (job.isPaused ? used : used - Self.slice, job.worker)
    }
    let ownPlace = place(begun[own])
    return begun.count { isLive($0, at: now) && place($0) < ownPlace } < capacity
  }

  /// Notes that the job of `worker` begins to wait for what others hold, or continues. If `oneWaiting` is to wake and
  /// no worker waits, the one that waits for the connections has to ask for a turn.
  package mutating func stall(_ worker: Int, _ isStalled: Bool, at now: MonotonicTime) -> Wakes {
    advance(to: now)
    if let own = index(of: worker), begun[own].isStalled != isStalled {
      begun[own].isStalled = isStalled
      begun[own].lastSign = now
      queue.stall(begun[own].requestID.user, isStalled)
    }
    guard isStalled else { return [] }
    // Also if the waiting job may start only later: the check that shows it needs a worker to wake.
    return canStart || !hasSpareWorker ? [.paused, .oneWaiting] : .paused
  }

  // MARK: Further workers

  /// Forgets a further worker that got no thread.
  package mutating func discard(_ worker: Int) {
    assert(index(of: worker) == nil)
    workerCount -= 1
  }

  /// The time until which a worker without work waits before it asks `retire`.
  package func patience(at now: MonotonicTime) -> MonotonicTime {
    hasFurtherWorkers ? now + Self.idleTime : .never
  }

  /// Forgets a worker that has waited in vain, unless it may be needed; returns whether it is to end.
  package mutating func retire(_ worker: Int) -> Bool {
    guard hasFurtherWorkers, pollingWorker != nil else { return false }
    assert(index(of: worker) == nil && pollingWorker != worker, "only a worker without work ends")
    workerCount -= 1
    if hasSpareWorker { return true }
    workerCount += 1
    return false
  }

  // MARK: Stuck workers

  /// The time at which as many workers as one user may have are stuck, unless one ends before; `never`
  /// while fewer are busy.
  /// - Parameters:
  ///   - stuckTime: the time after which a worker is stuck whose job has not asked `mayGoOn`.
  ///   - abandonedTime: the same, from when no caller waits for the job.
  package func stuckTime(after stuckTime: TimeSpan, abandoned abandonedTime: TimeSpan = .max) -> MonotonicTime {
    let times = running.map { min($0.lastSign + stuckTime, $0.abandoned + abandonedTime) }
    return times.count < capacity ? .never : times.sorted()[capacity - 1]
  }

  /// Returns the same, but never a time in the past before it has stayed the same for `doubtTime`. To be called again
  /// at the time that it returns.
  package mutating func confirmedStuckTime(
    after stuckTime: TimeSpan, abandoned abandonedTime: TimeSpan, at now: MonotonicTime
  ) -> MonotonicTime {
    let due = self.stuckTime(after: stuckTime, abandoned: abandonedTime)
    guard due <= now else {
      doubt = nil
      return due
    }
    let seen = doubt?.due == due ? doubt?.seen ?? now : now
    doubt = (due, seen)
    return seen + Self.doubtTime
  }
}
