import FaceCore
import Service
import Wire

/// A call queue whose workers are state machines on a virtual clock, round the real `WorkerSchedule`.
final class SimulatedQueue: CallQueue, @unchecked Sendable {
  enum State {
    case asking, waiting, polling, running, paused
    /// The answer of the worker's job is on its way to the connections; `nil` for the turn of a batch.
    case delivering(Completion?)
  }

  struct Worker {
    var state = State.asking
    var version = 0
    var mayGrow = true
    var job: CallJob?
    var token: CancellationToken?
    /// The work that is left of the turn, and the time between two checks of its token.
    var left = TimeSpan.zero
    var step = TimeSpan.zero
    var since = MonotonicTime(nanoseconds: 0)
  }

  private weak var ownEngine: SimulatedEngine?
  private let clock: VirtualClock
  private var random: SeededRandom
  private let threadsFail: Bool
  private let patience: (stuck: TimeSpan, abandoned: TimeSpan)
  var schedule: WorkerSchedule<CallWork>
  private(set) var workers: [Int: Worker] = [:]
  /// The numbers of the workers, in order.
  private(set) var numbers: [Int] = []
  /// What became of a call or a frame at the workers: a status for each turn.
  struct Verdict {
    var codes: [StatusCode] = []
    var isRefused = false
    var followed: [UInt64] = []
  }

  private struct Place: Hashable {
    let connection: UInt64
    let stream: UInt32
    /// The frame's number; 0 for a call.
    var frame: UInt64 = 0
  }

  /// The waiting jobs by their calls, and what their users have.
  private(set) var waiting: [RequestID: (size: Int, deadline: MonotonicTime)] = [:]
  private(set) var owned: LimitModel
  private var verdicts: [Place: Verdict] = [:]
  /// The time at which the worker that waits for the connections wakes.
  private var pollTime = MonotonicTime.never

  init(
    capacity: Int, extra: Int, accounts: UserAccounts, limits: EngineLimits, clock: VirtualClock,
    random: SeededRandom
  ) {
    self.clock = clock
    self.random = random
    threadsFail = self.random.isLucky(oneIn: 8)
    patience = (self.random.span(from: .milliseconds(100), to: .seconds(30)), .milliseconds(200))
    schedule = WorkerSchedule(capacity: capacity, extra: extra, accounts: accounts, at: clock.now)
    self.capacity = capacity
    owned = LimitModel(limits)
  }

  private var engine: SimulatedEngine {
    guard let ownEngine else { preconditionFailure("workers belong to an engine") }
    return ownEngine
  }

  func start(for engine: SimulatedEngine) {
    ownEngine = engine
    for worker in schedule.permanentWorkers { add(worker) }
  }

  /// The process dies.
  func die() { (workers, numbers) = ([:], []) }

  func forgetWaiting() {
    schedule = WorkerSchedule(
      capacity: capacity, extra: 1, accounts: UserAccounts(EngineLimits()), at: clock.now)
  }

  // MARK: CallQueue

  let capacity: Int
  var nextExpiry: MonotonicTime { schedule.nextExpiry }
  var isRunning: Bool { schedule.isRunning }

  var timeWhenStuck: MonotonicTime {
    schedule.confirmedStuckTime(after: patience.stuck, abandoned: patience.abandoned, at: clock.now)
  }

  var hasLongStuck: Bool {
    timeWhenStuck <= clock.now && schedule.stuckTime(after: patience.stuck) <= clock.now
  }

  func submit(_ job: CallJob) throws(Status) {
    verdicts[place(job)] = Verdict()
    var (failure, wakes): (Status?, WorkerSchedule<CallWork>.Wakes) = (nil, [])
    do throws(Status) { wakes = try schedule.submit(job, at: clock.now) } catch { failure = error }
    let amount = UserAccount(queuedCalls: 1, queuedBytes: job.size)
    if let fault = owned.fault(failure, amount, for: job.requestID.user) { engine.simulation.note(fault) }
    if let failure {
      verdicts[place(job)]?.isRefused = true
      throw failure
    }
    wake(wakes)
    note(job)
  }

  func replaceQueued(with job: CallJob) -> CallJob? {
    guard let old = schedule.replaceQueued(with: job) else { return nil }
    forget(old.requestID)
    verdicts[place(old)] = nil
    note(job)
    return old
  }

  func cancel(_ requestID: RequestID) {
    wake(schedule.cancel(requestID, at: clock.now))
    forget(requestID)
  }

  func cancelAll(ofConnection connection: UInt64, user: UInt32) {
    wake(schedule.cancelAll(ofConnection: connection, user: user, at: clock.now))
    for call in waiting.keys where call.connection == connection { forget(call) }
  }

  func takeExpired() -> [CallJob] {
    let expired = schedule.takeExpired(at: clock.now).sorted { $0.requestID.serial < $1.requestID.serial }
    for job in expired {
      forget(job.requestID)
      verdicts[place(job)]?.codes.append(.deadlineExceeded)
    }
    return expired
  }

  private func note(_ job: CallJob) {
    waiting[job.requestID] = (job.size, job.deadline)
    engine.timers.insert(job.deadline.nanoseconds)
    owned.add(UserAccount(queuedCalls: 1, queuedBytes: job.size), of: job.requestID.user)
    if verdicts[place(job)] == nil { verdicts[place(job)] = Verdict() }
  }

  private func forget(_ call: RequestID) {
    guard let old = waiting.removeValue(forKey: call) else { return }
    owned.add(UserAccount(queuedCalls: 1, queuedBytes: old.size), of: call.user, times: -1)
  }

  private func place(_ job: CallJob) -> Place {
    Place(connection: job.requestID.connection, stream: job.requestID.stream, frame: job.frameNumber ?? 0)
  }

  /// What became of a call or a frame, which is answered now; `nil` if it was never given to the workers.
  func takeVerdict(_ connection: UInt64, _ stream: UInt32, _ frame: UInt64 = 0) -> Verdict? {
    verdicts.removeValue(forKey: Place(connection: connection, stream: stream, frame: frame))
  }

  // MARK: Workers

  func stop() { wake(schedule.stop()) }

  private func add(_ worker: Int) {
    workers[worker] = Worker()
    numbers.append(worker)
    plan(worker, .asking, at: soon())
  }

  private func soon() -> MonotonicTime {
    clock.now + random.span(from: .microseconds(1), to: .milliseconds(1))
  }

  private func plan(_ worker: Int, _ state: State, at time: MonotonicTime) {
    workers[worker]?.state = state
    workers[worker]?.version += 1
    guard time != .never, let version = workers[worker]?.version else { return }
    engine.simulation.add(.worker(engine.number, worker, version), of: engine.actor(worker), at: time)
  }

  private func wake(_ wakes: WorkerSchedule<CallWork>.Wakes) {
    if !wakes.isDisjoint(with: [.oneWaiting, .allWaiting]) {
      let idle = numbers.filter { if case .waiting = workers[$0]?.state { true } else { false } }
      let woken = wakes.contains(.allWaiting) ? idle : idle.randomElement(using: &random).map { [$0] } ?? []
      for worker in woken { plan(worker, .asking, at: soon()) }
    }
    guard wakes.contains(.paused) else { return }
    for worker in numbers { if case .paused = workers[worker]?.state { plan(worker, .paused, at: soon()) } }
  }

  /// Lets a worker act, unless its `version` has changed since.
  func act(_ worker: Int, _ version: Int) throws(Finding) {
    guard let own = workers[worker], own.version == version else { return }
    switch own.state {
    case .asking: ask(worker)
    case .waiting:
      // Its patience is over.
      ask(worker)
      if case .waiting = workers[worker]?.state, schedule.retire(worker) { remove(worker) }
    case .polling:
      try engine.poll()
      if engine.result == nil { plan(worker, .asking, at: clock.now) } else { remove(worker) }
    case .running, .paused: reachCheck(worker)
    case .delivering(let completion):
      engine.deliver(completion)
      plan(worker, .asking, at: clock.now)
    }
  }

  private func remove(_ worker: Int) {
    workers[worker] = nil
    numbers.removeAll { $0 == worker }
  }

  private func ask(_ worker: Int) {
    let mayGrow = workers[worker]?.mayGrow ?? true
    workers[worker]?.mayGrow = true
    guard let (turn, wakes) = schedule.nextTurn(of: worker, at: clock.now, mayGrow: mayGrow) else {
      return plan(worker, .waiting, at: schedule.patience(at: clock.now))
    }
    wake(wakes)
    switch turn {
    case .run(let job, let token): begin(job, token, on: worker)
    case .poll:
      pollTime = .never
      plan(worker, .polling, at: .never)
      engine.beginToWait()
    case .start(let further):
      if threadsFail, random.isLucky(oneIn: 3) {
        schedule.discard(further)
        workers[worker]?.mayGrow = false
      } else {
        add(further)
      }
      plan(worker, .asking, at: clock.now)
    case .end: remove(worker)
    }
  }

  /// Has the worker that waits for the connections poll at `time`.
  func poll(at time: MonotonicTime) {
    guard let worker = pollingWorker, time < pollTime else { return }
    pollTime = time
    plan(worker, .polling, at: time)
  }

  func pollSoon() { poll(at: soon()) }

  private func begin(_ job: CallJob, _ token: CancellationToken, on worker: Int) {
    forget(job.requestID)
    engine.service.statistics.busyWorkers.add()
    var own = workers[worker] ?? Worker()
    own.job = job
    own.token = token
    let isEndless = random.isLucky(oneIn: engine.simulation.traits.endlessCalls)
    own.left = random.span(
      from: .microseconds(20), to: random.isLucky(oneIn: 40) ? .seconds(3) : .milliseconds(30))
    own.step = .microseconds(Int64(random.pick(100...5000)))
    if isEndless { (own.left, own.step) = (.seconds(Int64(random.pick(1...100))), .seconds(1000)) }
    workers[worker] = own
    if token.deadline <= clock.now { return finishTurn(worker) }
    goOn(worker)
  }

  private func goOn(_ worker: Int) {
    guard let own = workers[worker] else { return }
    workers[worker]?.since = clock.now
    plan(worker, .running, at: clock.now + min(own.step, own.left))
  }

  /// The token of the worker's job is checked, or its turn is done.
  private func reachCheck(_ worker: Int) {
    guard let own = workers[worker], let token = own.token else { return }
    if case .running = own.state {
      workers[worker]?.left = own.left - (clock.now - own.since)
      if own.left <= clock.now - own.since { return finishTurn(worker) }
    }
    let (goesOn, wakes) = schedule.mayGoOn(worker, at: clock.now)
    wake(wakes)
    guard goesOn else {
      return plan(worker, .paused, at: clock.now + WorkerSchedule<CallWork>.longestWait)
    }
    if token.isCancelled || token.deadline <= clock.now { return finishTurn(worker) }
    goOn(worker)
  }

  /// Runs the real handler of the job's call, which takes no simulated time.
  private func finishTurn(_ worker: Int) {
    guard let job = workers[worker]?.job, let token = workers[worker]?.token else { return }
    let isLate = token.deadline <= clock.now
    let failure =
      token.isCancelled
      ? Canceller.status : isLate ? Status(.deadlineExceeded, "it took too long") : engine.decoders.failure
    engine.detector.prepare(
      failure: failure,
      faces: random.isLucky(oneIn: 20) ? random.pick(0...200) : random.pick(0...2))
    workers[worker]?.job = nil
    let call = job.requestID
    let (size, deadline) = (job.size, job.deadline)
    let place = place(job)
    engine.detector.followed = []
    let outcome = engine.callHandler.run(job, token)
    // The number of a cancelled call may be another one's by now.
    if !token.isCancelled {
      verdicts[place]?.codes.append(failure?.code ?? .ok)
      verdicts[place]?.followed = engine.detector.followed
    }
    engine.service.statistics.busyWorkers.subtract()
    switch outcome {
    case .completed(let completion):
      wake(schedule.finish(worker, at: clock.now))
      plan(worker, .delivering(completion), at: soon())
    case .unfinished(let rest):
      let isWanted = !token.isCancelled
      wake(schedule.resubmit(rest, of: worker, at: clock.now))
      if isWanted {
        waiting[call] = (size, deadline)
        owned.add(UserAccount(queuedCalls: 1, queuedBytes: size), of: call.user)
      }
      plan(worker, .delivering(nil), at: soon())
    }
    workers[worker]?.token = nil
  }
}
