import FaceCore
import Logging
import Posix

/// The workers' threads, with the lock, the clock and the conditions that they wait for; `WorkerSchedule` decides
/// what each of them does. Safe to use from any thread.
///
/// The thread that has read a call also runs it, and leaves the waiting to another thread. A call thus wakes
/// one thread of the engine before it runs and none afterwards. There is always a thread more than jobs run,
/// so that one can wait. Source: D. Schmidt et al., "Leader/Followers", 2000.
final class WorkerPool: CallQueue, Sendable {
  /// What the threads work for.
  struct Duty: Sendable {
    let loop: EventLoop
    let callHandler: CallHandler
    let logger: Logger
    /// Called on one of the threads when the loop has ended.
    let ended: @Sendable (Result<Bool, Status>) -> Void
  }

  private typealias Schedule = WorkerSchedule<CallWork>

  private let schedule: Monitor<Schedule>
  private let changed = Condition()
  /// Wakes the workers whose jobs are paused.
  private let resumed = Condition()
  private let threads = Monitor<[Int: Thread]>([:])
  let capacity: Int
  let permanentWorkers: Range<Int>
  /// The time without a check of its job's token after which a worker is stuck.
  private let stuckTime: TimeSpan
  /// The same, from when no caller waits for the job.
  private let abandonedTime: TimeSpan

  /// - Parameter extra: how many jobs may run beyond `capacity`, each for a user with no other job running.
  init(
    capacity: Int, extra: Int, accounts: UserAccounts, stuckTime: TimeSpan, abandonedTime: TimeSpan
  ) {
    let schedule = Schedule(capacity: capacity, extra: extra, accounts: accounts, at: .now())
    permanentWorkers = schedule.permanentWorkers
    self.schedule = Monitor(schedule)
    (self.capacity, self.stuckTime, self.abandonedTime) = (capacity, stuckTime, abandonedTime)
  }

  // MARK: The queue

  /// Changes the schedule at this moment, and wakes those whose turn that changes.
  @discardableResult
  private func change<Failure>(
    _ body: (inout Schedule, MonotonicTime) throws(Failure) -> Schedule.Wakes
  ) throws(Failure) -> Schedule.Wakes {
    let wakes = try schedule.withLock { (schedule) throws(Failure) in try body(&schedule, .now()) }
    wake(wakes)
    return wakes
  }

  private func wake(_ wakes: Schedule.Wakes) {
    if wakes.contains(.oneWaiting) { changed.wakeOne() }
    if wakes.contains(.allWaiting) { changed.wakeAll() }
    if wakes.contains(.paused) { resumed.wakeAll() }
  }

  func submit(_ job: CallJob) throws(Status) {
    try change { (schedule, now) throws(Status) in try schedule.submit(job, at: now) }
  }

  func replaceQueued(with job: CallJob) -> CallJob? { schedule.withLock { $0.replaceQueued(with: job) } }
  func cancel(_ requestID: RequestID) { change { $0.cancel(requestID, at: $1) } }

  func cancelAll(ofConnection connection: UInt64, user: UInt32) {
    change { $0.cancelAll(ofConnection: connection, user: user, at: $1) }
  }

  var nextExpiry: MonotonicTime { schedule.withLock { $0.nextExpiry } }

  func takeExpired() -> [CallJob] {
    nextExpiry.isPast ? schedule.withLock { $0.takeExpired(at: .now()) } : []
  }

  var isRunning: Bool { schedule.withLock { $0.isRunning } }

  var timeWhenStuck: MonotonicTime {
    schedule.withLock { $0.confirmedStuckTime(after: stuckTime, abandoned: abandonedTime, at: .now()) }
  }

  /// Whether as many workers as one user may have are at jobs that have not checked their tokens for too long.
  var hasLongStuck: Bool {
    timeWhenStuck.isPast && schedule.withLock { $0.stuckTime(after: stuckTime) }.isPast
  }

  /// The time since which the models have not been used; `nil` while they may be in use.
  var idleSince: MonotonicTime? { schedule.withLock { $0.idleSince } }

  // MARK: Threads

  /// Starts the threads. They end after `stop`.
  func start(_ duty: Duty) throws(Status) {
    do {
      for worker in permanentWorkers { try start(worker, duty) }
    } catch {
      stop()
      join()
      throw error
    }
  }

  /// Ends the threads after their running jobs; waiting jobs are forgotten.
  func stop() { change { schedule, _ in schedule.stop() } }

  /// Waits until all threads have ended.
  func join() {
    // A thread that has yet to start another one is among those that are waited for.
    while let thread = threads.withLock({ $0.popFirst()?.value }) { thread.join() }
  }

  private func start(_ worker: Int, _ duty: Duty) throws(Status) {
    try threads.withLock { (threads) throws(Status) in
      threads[worker] = try Thread(name: "face-worker-\(worker)") { self.run(worker, duty) }
    }
  }

  private func run(_ worker: Int, _ duty: Duty) {
    let statistics = duty.callHandler.service.statistics
    var mayGrow = true
    while true {
      switch nextTurn(of: worker, mayGrow: mayGrow) {
      case .run(let job, var token):
        token.asked = { [self] in pause(worker) }
        // The thread that waits for the connections starts a further worker if there is none for the next job.
        token.stalls = { [self] isStalled in
          let wakes = change { $0.stall(worker, isStalled, at: $1) }
          if wakes.contains(.oneWaiting) { duty.loop.wake() }
        }
        // Consumes the job: when this returns, the job has released its shared memory. A peer that has its
        // answer finds the memory freed.
        statistics.busyWorkers.add()
        let outcome = duty.callHandler.run(consume job, token)
        statistics.busyWorkers.subtract()
        switch outcome {
        case .completed(let completion):
          change { $0.finish(worker, at: $1) }
          duty.loop.deliver(completion)
        case .unfinished(let rest):
          change { $0.resubmit(rest, of: worker, at: $1) }
          duty.loop.reconsiderDeadline()
        }
      case .poll:
        do throws(Status) {
          if let isDrained = try duty.loop.poll() { return duty.ended(.success(isDrained)) }
        } catch {
          return duty.ended(.failure(error))
        }
      case .start(let further):
        do throws(Status) {
          try start(further, duty)
          statistics.workers.add()
        } catch {
          schedule.withLock { $0.discard(further) }
          duty.logger.warning(
            "a call waits because no thread can be started", metadata: ["reason": "\(error.message)"])
          mayGrow = false
          continue
        }
      case .end:
        statistics.workers.subtract()
        threads.withLock { $0[worker] = nil }
        return
      }
      mayGrow = true
    }
  }

  /// Waits for the next turn of `worker`, whose last one has ended.
  /// - Parameter mayGrow: whether that may be to start a further worker.
  private func nextTurn(of worker: Int, mayGrow: Bool) -> Schedule.Turn {
    while true {
      let patience = schedule.withLock { $0.patience(at: .now()) }
      let next = schedule.wait(for: changed, until: patience) {
        $0.nextTurn(of: worker, at: .now(), mayGrow: mayGrow)
      }
      if let next {
        wake(next.wakes)
        return next.turn
      }
      if schedule.withLock({ $0.retire(worker) }) { return .end }
    }
  }

  /// Returns when the job of `worker` may go on. Called at each check of its token.
  private func pause(_ worker: Int) {
    while true {
      let soon = MonotonicTime.now() + Schedule.longestWait
      let goesOn = schedule.wait(for: resumed, until: soon) { schedule -> Bool? in
        let (goesOn, wakes) = schedule.mayGoOn(worker, at: .now())
        wake(wakes)
        return goesOn ? true : nil
      }
      if goesOn != nil { return }
    }
  }
}
