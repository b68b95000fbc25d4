package import FaceCore

/// The workers of an engine and what each of them does next: run a waiting element, wait for the connections,
/// start a further worker, or end. A value without a lock, a thread or a clock.
///
/// Up to `capacity` elements run, those of the users who have used the least time (`FairQueue`). Up to `extra` more run,
/// each for a user who runs nothing else and has used little time or has short elements. So no user waits for
/// another one's long call. If more than `capacity` run, those whose users have used most are paused when they ask
/// `mayGoOn`, as they do every few milliseconds. One worker is always left for the connections.
///
/// An element that waits for what others hold is stalled: its worker does nothing, and others run in its place.
package struct WorkerSchedule<Line: WaitingLine>: Sendable {
  /// What a worker does next.
  package enum Step {
    /// - Parameter leavesMore: whether another worker has to wait for the connections now.
    case run(Line.Element, leavesMore: Bool)
    case poll
    /// Give this new worker a thread, or `discard` it; then ask again.
    case start(worker: Int)
  }

  private struct Running {
    let worker: Int
    let user: UInt32
    var isPaused = false
    var isStalled = false
    /// The time for which it has gone on.
    var had = TimeSpan.zero
    /// The last time at which it began or asked whether it may go on.
    var lastSign: MonotonicTime
    /// The time from which no caller waits for it.
    var abandoned = MonotonicTime.never
  }

  package var queue = FairQueue<Line>()
  private var running: [Running] = []
  /// The time up to which running elements are charged to their users.
  private var present = MonotonicTime(nanoseconds: 0)
  package private(set) var workerCount: Int
  private var lastWorker: Int
  private var pollingWorker: Int?
  /// The time from which workers seem stuck, and the time at which that was seen.
  private var doubt: (due: MonotonicTime, seen: MonotonicTime)?
  package let capacity: Int
  package let extra: Int

  /// The time that an element has before it makes way for others.
  private static var slice: TimeSpan { FairQueue<Line>.slice }

  /// The time without a sign after which an element counts no more among those that others make way for: it
  /// cannot be interrupted, or waits for what a paused one holds.
  package static var silence: TimeSpan { .milliseconds(200) }

  /// How long workers have to seem stuck before they count as stuck: when the whole process was stopped, as
  /// by SIGSTOP, all of them seem so until they have run again.
  package static var doubtTime: TimeSpan { .milliseconds(500) }

  /// How long further workers wait for something to do before they end.
  package static var idleTime: TimeSpan { .seconds(10) }

  /// - Parameters:
  ///   - capacity: the number of one user's elements that run at a time.
  ///   - extra: the number of elements beyond it that run for users who run nothing else, at least 1.
  package init(capacity: Int, extra: Int) {
    self.capacity = capacity
    self.extra = extra
    workerCount = capacity + 2
    lastWorker = capacity + 1
  }

  package var runningCount: Int { running.count }

  /// The elements that others make way for.
  private var active: [Running] { running.filter { !$0.isStalled } }

  /// The numbers of the workers that always exist: those for one user's elements, one for another user's, and
  /// one for the connections.
  package var permanentWorkers: Range<Int> { 0..<capacity + 2 }

  private var hasFurtherWorkers: Bool { workerCount > permanentWorkers.count }

  /// Whether a worker beside the one for the connections can start what waits, now or when a check of another element
  /// shows that it may start.
  package var hasSpareWorker: Bool {
    queue.isEmpty || active.count >= capacity + extra || running.count + 2 <= workerCount
  }

  /// How many elements of a user may run for another one of them to start.
  private var limit: Int { active.count < capacity ? capacity : 1 }

  /// Charges users for what has gone on until `now`.
  package mutating func advance(to now: MonotonicTime) {
    let time = now - present
    present = now
    for index in running.indices where !running[index].isPaused && !running[index].isStalled {
      running[index].had += time
      queue.charge(running[index].user, time)
    }
  }

  /// Whether an element may start now.
  package var canStart: Bool {
    active.count < capacity + extra && !queue.isEmpty
      && queue.canStart(limit: limit, beside: mostUsed)
  }

  /// The time that a user of long elements may have used to start one: any while fewer than `capacity` run, then no
  /// more than an element's that would make way for it.
  private var mostUsed: TimeSpan {
    let active = active
    return active.count < capacity ? .max : active.map { queue.used(by: $0.user) }.sorted()[capacity - 1]
  }

  /// The next step of `worker`, whose last one has ended; `nil` while there is nothing for it to do.
  /// - Parameter mayGrow: whether the step may be `start`.
  package mutating func nextStep(of worker: Int, at now: MonotonicTime, mayGrow: Bool = true) -> Step? {
    advance(to: now)
    if pollingWorker == worker { pollingWorker = nil }
    if canStart, running.count + 1 < workerCount,
      let next = queue.start(limit: limit, beside: mostUsed)
    {
      assert(index(of: worker) == nil, "a worker runs one element")
      running.append(Running(worker: worker, user: next.user, lastSign: now))
      return .run(next.element, leavesMore: pollingWorker == nil)
    }
    if mayGrow, !hasSpareWorker {
      lastWorker += 1
      workerCount += 1
      return .start(worker: lastWorker)
    }
    guard pollingWorker == nil else { return nil }
    pollingWorker = worker
    return .poll
  }

  /// Ends the element that `worker` runs.
  package mutating func finish(_ worker: Int, at now: MonotonicTime) {
    advance(to: now)
    guard let index = index(of: worker) else { return }
    let ended = running.remove(at: index)
    assert(!ended.isStalled, "an element that waits has not ended")
    queue.finish(ended.user, cost: ended.had)
  }

  private func index(of worker: Int) -> Int? { running.firstIndex { $0.worker == worker } }

  // MARK: Pauses

  private func isLive(_ entry: Running, at now: MonotonicTime) -> Bool {
    !entry.isStalled && entry.lastSign + Self.silence > now
  }

  /// Whether one more element may go on.
  package func hasRoom(at now: MonotonicTime) -> Bool {
    running.count { !$0.isPaused && isLive($0, at: now) } < capacity
  }

  /// Whether the element of `worker` waits until it may go on.
  package func isPaused(_ worker: Int) -> Bool { running.contains { $0.worker == worker && $0.isPaused } }

  /// Whether the element of `worker` continues now. If not, it is paused: it asks again when others have ended or are
  /// paused, and after a while.
  package mutating func mayGoOn(_ worker: Int, at now: MonotonicTime) -> Bool {
    advance(to: now)
    guard let own = index(of: worker) else { return true }
    running[own].lastSign = now
    // One for which no caller waits ends at this check, and a pause would only delay that.
    let goesOn = running[own].had < Self.slice || running[own].abandoned <= now || isFavoured(own, at: now)
    running[own].isPaused = !goesOn
    return goesOn
  }

  /// Whether an element is among the `capacity` whose users have used the least time. One that continues keeps its
  /// place for a slice.
  private func isFavoured(_ own: Int, at now: MonotonicTime) -> Bool {
    func place(_ index: Int) -> (TimeSpan, Int) {
      let used = queue.used(by: running[index].user)
      return (running[index].isPaused ? used : used - Self.slice, running[index].worker)
    }
    let ownPlace = place(own)
    return running.indices.count { isLive(running[$0], at: now) && place($0) < ownPlace } < capacity
  }

  /// Notes that the element of `worker` begins to wait for what others hold, or continues.
  package mutating func stall(_ worker: Int, _ isStalled: Bool, at now: MonotonicTime) {
    advance(to: now)
    guard let own = index(of: worker), running[own].isStalled != isStalled else { return }
    running[own].isStalled = isStalled
    running[own].lastSign = now
    queue.stall(running[own].user, isStalled)
  }

  // MARK: Stuck workers

  /// Forgets a worker that got no thread.
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

  /// Notes that no caller waits from `time` on for what `worker` runs.
  package mutating func abandon(_ worker: Int, from time: MonotonicTime) {
    guard let index = index(of: worker) else { return }
    running[index].abandoned = min(running[index].abandoned, time)
  }

  /// The time at which as many workers as one user may have are stuck, unless one ends before; `never`
  /// while fewer are busy.
  /// - Parameters:
  ///   - stuckTime: the time after which a worker is stuck whose element has not asked `mayGoOn`.
  ///   - abandonedTime: the same, from when no caller waits for the element.
  package func stuckTime(after stuckTime: TimeSpan, abandoned abandonedTime: TimeSpan = .max) -> MonotonicTime
  {
    let active = active
    guard active.count >= capacity else { return .never }
    let times = active.map {
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
