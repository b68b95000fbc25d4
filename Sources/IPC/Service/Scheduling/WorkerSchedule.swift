package import FaceCore

/// The workers of an engine and what each of them does next: run a waiting element, wait for the connections,
/// start a further worker, or end. A value without a lock, a thread or a clock.
///
/// A user without a running element may start an element at once, on a further worker if no other is free, so that
/// no user waits for another one's long call. Users whose own elements are long, and users with something
/// runs, get more only while fewer than `capacity` elements run. At most `extra` elements run beyond `capacity`.
/// Where several users may start one, the queue decides. One worker is always left for the connections.
///
/// Of more than `capacity` running elements, long ones of the users who have used most time are paused when they
/// ask `mayGoOn`, as they do every few milliseconds. An element that does not ask keeps running beside the others.
package struct WorkerSchedule<Line: WaitingLine>: Sendable {
  /// What a worker does next.
  package enum Step {
    /// - Parameter leavesMore: whether another worker has something to do now.
    case run(Line.Element, leavesMore: Bool)
    case poll
    /// Give this new worker a thread, or `discard` it; then ask again.
    case start(worker: Int)
  }

  private struct Running {
    let user: UInt32
    let began: MonotonicTime
    /// The time at which it began, was paused or was resumed.
    var since: MonotonicTime
    var isPaused = false
    /// Whether another one has resumed it, and it has not asked since.
    var isResumed = false
    /// The time for which it went on before.
    var spent: TimeSpan = .zero
    /// The last time at which it began or asked whether it may go on.
    var lastSign: MonotonicTime
    /// The time from which no caller waits for it.
    var abandoned = MonotonicTime.never
  }

  package var queue = FairQueue<Line>()
  /// What the last element of each user took, if it was long, and the time until which that counts.
  private var costs: [UInt32: (cost: TimeSpan, until: MonotonicTime)] = [:]
  private var running: [Int: Running] = [:]
  private var workers: Set<Int>
  private var lastWorker: Int
  private var pollingWorker: Int?
  /// The last time at which no worker was left but the one for the connections.
  private var lastShortage = MonotonicTime(nanoseconds: 0)
  /// The time from which workers seem stuck, and the time at which that was seen.
  private var doubt: (due: MonotonicTime, seen: MonotonicTime)?
  package let capacity: Int
  package let extra: Int

  /// The cost from which an element is long.
  package static var longCost: TimeSpan { .milliseconds(100) }

  /// How long a user's last element counts.
  package static var memory: TimeSpan { .seconds(60) }

  /// The time from its begin for which an element is not paused: short ones are not worth it.
  package static var grace: TimeSpan { .milliseconds(50) }

  /// The time by which a user's time may exceed that of a user who is paused.
  package static var slice: TimeSpan { .milliseconds(20) }

  /// The time without a sign after which an element counts no more among those that others make way for: it
  /// cannot be interrupted, or waits for what a paused one holds.
  package static var silence: TimeSpan { .milliseconds(200) }

  /// The longest pause, for elements that hold what others wait for.
  package static var longestPause: TimeSpan { .seconds(1) }

  /// How long workers have to seem stuck before they count as stuck: when the whole process was stopped, as
  /// by SIGSTOP, all of them seem so until they have run again.
  package static var doubtTime: TimeSpan { .milliseconds(500) }

  /// How long further workers are kept after all were needed.
  package static var idleTime: TimeSpan { .seconds(10) }

  /// - Parameters:
  ///   - capacity: the number of one user's elements that run at a time.
  ///   - extra: the number of elements beyond it that run for users with nothing else running, at least 1.
  package init(capacity: Int, extra: Int) {
    self.capacity = capacity
    self.extra = extra
    workers = Set(0..<capacity + 2)
    lastWorker = capacity + 1
  }

  package var workerCount: Int { workers.count }
  package var runningCount: Int { running.count }

  /// The numbers of the workers that always exist: those for one user's elements, one for another user's, and
  /// one for the connections.
  package var permanentWorkers: Range<Int> { 0..<capacity + 2 }

  private var hasFurtherWorkers: Bool { workers.count > permanentWorkers.count }

  /// How many elements of a user may run for another one of them to start.
  private var limit: Int { running.count < capacity ? capacity : 1 }

  /// Whether an element may start now.
  package func canStart(at now: MonotonicTime) -> Bool {
    running.count < capacity + extra && !queue.isEmpty
      && queue.canStart(at: now, limit: limit, where: startRule(at: now))
  }

  /// Whether a user that has used so much time may start an element. Beyond `capacity`, a user of long elements
  /// has to be so far behind those with running elements that another one leaves it behind them.
  private func startRule(at now: MonotonicTime) -> (UInt32, TimeSpan) -> Bool {
    if running.count < capacity { return { _, _ in true } }
    let ahead = running.values.map { queue.used(by: $0.user, at: now) }.sorted()[capacity - 1]
    return { [costs] user, used in
      guard let cost = costs[user], cost.until > now else { return true }
      return used + cost.cost < ahead
    }
  }

  /// The next step of `worker`, whose last one has ended; `nil` while there is nothing for it to do.
  /// - Parameter mayGrow: whether the step may be `start`.
  package mutating func nextStep(of worker: Int, at now: MonotonicTime, mayGrow: Bool = true) -> Step? {
    if pollingWorker == worker { pollingWorker = nil }
    if canStart(at: now) {
      if running.count + 1 < workers.count,
        let next = queue.start(at: now, limit: limit, where: startRule(at: now))
      {
        assert(running[worker] == nil && workers.contains(worker), "a worker runs one element")
        running[worker] = Running(user: next.user, began: now, since: now, lastSign: now)
        assert(running.count < workers.count && running.count <= capacity + extra)
        if running.count + 1 == workers.count { lastShortage = now }
        return .run(next.element, leavesMore: pollingWorker == nil || canStart(at: now))
      }
      if mayGrow {
        lastWorker += 1
        workers.insert(lastWorker)
        return .start(worker: lastWorker)
      }
    }
    guard pollingWorker == nil else { return nil }
    pollingWorker = worker
    return .poll
  }

  /// Ends the element that `worker` runs.
  package mutating func finish(_ worker: Int, at now: MonotonicTime) {
    guard let ended = running.removeValue(forKey: worker) else { return }
    var cost = ended.spent
    if ended.isPaused {
      queue.finishPaused(ended.user)
    } else {
      cost += now - ended.since
      queue.finish(ended.user, began: ended.since, at: now)
    }
    // Users are not many, but nothing else bounds them.
    if costs.count > 1024 { costs = [:] }
    costs[ended.user] =
      cost < Self.longCost ? nil : (cost, now + Self.memory)
    while activeCount(at: now) < capacity, let next = longestWaiting(at: now) { resume(next.worker, at: now) }
  }

  // MARK: Pauses

  /// The number of elements that go on and, by the time of their last sign, may be paused for others.
  private func activeCount(at now: MonotonicTime) -> Int {
    running.values.count { !$0.isPaused && $0.lastSign + Self.silence > now }
  }

  /// Whether the element of `worker` waits until it may go on.
  package func isPaused(_ worker: Int) -> Bool { running[worker]?.isPaused == true }

  /// Whether the element of `worker` may continue now. If not, it is paused: it asks again when elements were resumed
  /// or have ended, and after a while.
  package mutating func mayGoOn(_ worker: Int, at now: MonotonicTime) -> Bool {
    running[worker]?.lastSign = now
    guard let own = running[worker] else { return true }
    let active = activeCount(at: now)
    if own.isPaused {
      let isLong = own.since + Self.longestPause <= now
      let isNext = active < capacity && longestWaiting(at: now)?.worker == worker
      guard isLong || isNext || own.abandoned <= now else { return false }
      resume(worker, at: now)
      running[worker]?.isResumed = false
      return true
    }
    // Its pause would begin anew before it went on.
    if own.isResumed {
      running[worker]?.isResumed = false
      return true
    }
    // One for which no caller waits ends at this check, and a pause would only delay that.
    if own.began + Self.grace > now || own.abandoned <= now { return true }
    if active > capacity {
      if isFavoured(worker, at: now) { return true }
      pause(worker, at: now)
      return false
    }
    guard let next = longestWaiting(at: now),
      queue.used(by: own.user, at: now) - next.used > Self.slice
    else { return true }
    pause(worker, at: now)
    resume(next.worker, at: now)
    return false
  }

  /// Whether the user of what `worker` runs is among the `capacity` that have used the least time, where a user
  /// counts once for each running element.
  private func isFavoured(_ worker: Int, at now: MonotonicTime) -> Bool {
    guard let own = running[worker] else { return false }
    let used = queue.used(by: own.user, at: now)
    let before = running.count { (other, entry) in
      (queue.used(by: entry.user, at: now), other) < (used, worker)
    }
    return before < capacity
  }

  /// The paused element whose user has used the least time.
  private func longestWaiting(at now: MonotonicTime) -> (used: TimeSpan, worker: Int)? {
    running.lazy.filter { $0.value.isPaused }
      .map { (queue.used(by: $0.value.user, at: now), $0.key) }.min(by: <)
  }

  private mutating func pause(_ worker: Int, at now: MonotonicTime) {
    guard let entry = running[worker], !entry.isPaused else { return }
    queue.pause(entry.user, began: entry.since, at: now)
    running[worker]?.isPaused = true
    running[worker]?.spent += now - entry.since
    running[worker]?.since = now
  }

  private mutating func resume(_ worker: Int, at now: MonotonicTime) {
    guard let entry = running[worker], entry.isPaused else { return }
    queue.resume(entry.user, at: now)
    running[worker]?.isPaused = false
    running[worker]?.isResumed = true
    running[worker]?.since = now
  }

  // MARK: Stuck workers

  /// Forgets a worker that got no thread.
  package mutating func discard(_ worker: Int) {
    assert(running[worker] == nil)
    workers.remove(worker)
  }

  /// The time until which a worker without work waits before it asks `retire`.
  package func patience(at now: MonotonicTime) -> MonotonicTime {
    hasFurtherWorkers ? now + Self.idleTime : .never
  }

  /// Forgets a worker that has waited in vain, unless it may be needed; returns whether it is to end.
  package mutating func retire(_ worker: Int, at now: MonotonicTime) -> Bool {
    guard hasFurtherWorkers, pollingWorker != nil, pollingWorker != worker,
      lastShortage + Self.idleTime <= now
    else { return false }
    assert(running[worker] == nil, "a worker that runs an element does not wait")
    workers.remove(worker)
    return true
  }

  /// Notes that no caller waits from `time` on for what `worker` runs.
  package mutating func abandon(_ worker: Int, from time: MonotonicTime) {
    guard let abandoned = running[worker]?.abandoned else { return }
    running[worker]?.abandoned = min(abandoned, time)
  }

  /// The time at which as many workers as one user may have are stuck, unless one ends before; `never`
  /// while fewer are busy.
  /// - Parameters:
  ///   - stuckTime: the time after which a worker is stuck whose element has not asked `mayGoOn`.
  ///   - abandonedTime: the same, from when no caller waits for the element.
  package func stuckTime(after stuckTime: TimeSpan, abandoned abandonedTime: TimeSpan = .max) -> MonotonicTime
  {
    guard running.count >= capacity else { return .never }
    let times = running.values.map {
      min($0.lastSign + stuckTime, $0.abandoned + abandonedTime)
    }
    return times.sorted()[capacity - 1]
  }

  /// Returns the same, but never a time in the past before it has stayed the same for `doubtTime`. To be called again at
  /// the time that it returns.
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
