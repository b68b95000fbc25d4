import FaceCore
import Service

/// An invariant that did not hold, with the event after which that was seen.
package struct Finding: Error, CustomStringConvertible {
  package let event: Int
  package let text: String
  package var description: String { "event \(event): \(text)" }
}

/// Drives `JobSchedule` with users, workers and a clock that a seed makes up, and checks after every event what
/// it promises.
///
/// Threads are state machines here: a worker that asks for a turn, runs, is paused or waits acts at a time of
/// its own, and one that waits acts only when it is woken. So a lost wake-up is a worker that never acts.
package final class SchedulingSimulation {
  enum Event {
    /// A worker acts, unless its `version` has changed since.
    case act(worker: Int, version: Int)
    case user(Int)
  }

  struct Worker {
    enum State: Equatable {
      case asking, waiting, polling
      case running(call: Int)
      case paused(call: Int)
    }
    var state = State.asking
    var version = 0
    var mayGrow = true
    /// The token of the call that it runs, the work that is left of the turn, and when it was counted.
    var token: CancellationToken?
    var left = TimeSpan.zero
    var since = MonotonicTime(nanoseconds: 0)
  }

  var random: SeededRandom
  var now = MonotonicTime(nanoseconds: 1)
  var timeline = Timeline<Event>()
  let capacity: Int
  let extra: Int
  let limits: EngineLimits
  let accounts: UserAccounts
  var schedule: JobSchedule<Int>
  var workers: [Int: Worker] = [:]
  /// The numbers of the workers, in order, since a dictionary has none.
  var workerNumbers: [Int] = []
  var users: [SimulatedUser] = []
  var calls: [Int: SimulatedCall] = [:]
  /// Users whose messages nobody has read yet.
  var inbox: [Int] = []
  var lastCall = 0
  var lastConnection: UInt64 = 0
  var lastUse: MonotonicTime
  var isDraining = false
  let threadsFail: Bool
  var waitingBytes = 0
  var waitingCalls = 0
  var runningCalls = 0
  /// Since when a call has been paused that may go on.
  var needlessPause = MonotonicTime.never
  /// For each quiet user that waits with nothing running: what others have had of calls that began since.
  var overtaken: [Int: [Int: TimeSpan]] = [:]
  package private(set) var eventCount = 0

  package init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    capacity = random.pick(1...4)
    extra = random.pick(1...6)
    threadsFail = random.isLucky(oneIn: 4)
    var limits = EngineLimits()
    (limits.queuedCalls, limits.queuedBytes) = (random.pick(4...60), random.pick(8000...100_000))
    self.limits = limits
    accounts = UserAccounts(limits)
    schedule = JobSchedule(capacity: capacity, extra: extra, accounts: accounts, at: now)
    lastUse = now
    for worker in schedule.permanentWorkers { addWorker(worker) }
    for _ in 0..<random.pick(1...12) {
      let kind = SimulatedUser.Kind.allCases[random.pick(0...3)]
      lastConnection += 1
      users.append(
        SimulatedUser(kind: kind, connection: lastConnection, most: kind == .quiet ? 1 : random.pick(1...20)))
      timeline.add(.user(users.count - 1), at: now)
    }
  }

  /// Runs some events, then lets everything end.
  package func run(events: Int) throws(Finding) {
    while eventCount < events { try step() }
    try drain()
  }

  func step() throws(Finding) {
    guard let (time, event) = timeline.popFirst() else { throw fail("nothing will ever happen") }
    eventCount += 1
    now = max(now, time)
    switch event {
    case .user(let user): try receive(user)
    case .act(let worker, let version) where workers[worker]?.version == version: try act(worker)
    case .act: break
    }
    try check()
  }

  func fail(_ text: String) -> Finding {
    Finding(event: eventCount, text: "\(text) (at \(now.nanoseconds) ns)")
  }

  // MARK: Workers

  func addWorker(_ worker: Int) {
    workers[worker] = Worker()
    workerNumbers.append(worker)
    plan(worker, .asking, at: soon())
  }

  /// When a thread that can run does so.
  func soon() -> MonotonicTime { now + random.span(from: .microseconds(1), to: .milliseconds(1)) }

  func plan(_ worker: Int, _ state: Worker.State, at time: MonotonicTime) {
    workers[worker]?.state = state
    workers[worker]?.version += 1
    guard time != .never, let version = workers[worker]?.version else { return }
    timeline.add(.act(worker: worker, version: version), at: time)
  }

  func wake(_ wakes: JobSchedule<Int>.Wakes) {
    let waiting = workerNumbers.filter { workers[$0]?.state == .waiting }
    if wakes.contains(.allWaiting) {
      for worker in waiting { plan(worker, .asking, at: soon()) }
    } else if wakes.contains(.oneWaiting), let worker = waiting.randomElement(using: &random) {
      plan(worker, .asking, at: soon())
    }
    guard wakes.contains(.paused) else { return }
    for worker in workerNumbers {
      if case .paused(let call)? = workers[worker]?.state { plan(worker, .paused(call: call), at: soon()) }
    }
  }

  func act(_ worker: Int) throws(Finding) {
    switch workers[worker]?.state {
    case .asking: try ask(worker)
    case .waiting:
      // Its patience is over.
      try ask(worker)
      if workers[worker]?.state == .waiting, schedule.retire(worker, at: now) { remove(worker) }
    case .polling: try poll(worker)
    case .running(let call), .paused(let call): try reachCheck(worker, call)
    case nil: break
    }
  }

  private func remove(_ worker: Int) {
    workers[worker] = nil
    workerNumbers.removeAll { $0 == worker }
  }

  private func ask(_ worker: Int) throws(Finding) {
    let mayGrow = workers[worker]?.mayGrow ?? true
    workers[worker]?.mayGrow = true
    guard let (turn, wakes) = schedule.nextTurn(of: worker, at: now, mayGrow: mayGrow) else {
      plan(worker, .waiting, at: schedule.patience(at: now))
      return
    }
    wake(wakes)
    switch turn {
    case .run(let job, let token): try begin(job, token, on: worker)
    case .poll:
      guard !workerNumbers.contains(where: { workers[$0]?.state == .polling }) else {
        throw fail("two workers wait for the connections")
      }
      plan(worker, .polling, at: inbox.isEmpty ? schedule.nextExpiry : soon())
    case .start(let further):
      if threadsFail, random.isLucky(oneIn: 3) {
        schedule.discard(further)
        workers[worker]?.mayGrow = false
      } else {
        guard workers[further] == nil else { throw fail("worker \(further) is started twice") }
        addWorker(further)
      }
      plan(worker, .asking, at: now)
    case .end: remove(worker)
    }
  }

  private func poll(_ worker: Int) throws(Finding) {
    for job in schedule.takeExpired(at: now).sorted(by: { $0.work < $1.work }) {
      guard job.deadline <= now else { throw fail("call \(job.work) expires before its deadline") }
      try end(job.work, from: .waiting)
    }
    let senders = inbox
    inbox = []
    for user in senders { try handle(user) }
    plan(worker, .asking, at: now)
  }

  private func begin(_ job: Job<Int>, _ token: CancellationToken, on worker: Int) throws(Finding) {
    guard let call = calls[job.work], call.state == .waiting else {
      throw fail("call \(job.work) runs, and it does not wait")
    }
    try checkOrder(beforeStartOf: call)
    move(job.work, to: .running)
    workers[worker]?.token = token
    workers[worker]?.left = call.turnTime
    // A call whose caller no longer waits costs nothing.
    if token.deadline <= now { return try finish(worker, job.work) }
    goOn(worker, job.work)
  }

  private func goOn(_ worker: Int, _ call: Int) {
    guard let left = workers[worker]?.left, let step = calls[call]?.step else { return }
    workers[worker]?.since = now
    plan(worker, .running(call: call), at: now + min(step, left))
  }

  /// The token of the worker's call is checked, or its turn is done.
  private func reachCheck(_ worker: Int, _ call: Int) throws(Finding) {
    guard let own = workers[worker], let token = own.token else {
      throw fail("worker \(worker) has no token")
    }
    if own.state == .running(call: call) {
      workers[worker]?.left = own.left - (now - own.since)
      count(now - own.since, of: call)
      if own.left <= now - own.since { return try finishTurn(worker, call) }
    }
    let (goesOn, wakes) = schedule.mayGoOn(worker, at: now)
    wake(wakes)
    guard goesOn else {
      if own.state == .running(call: call) { workers[worker]?.since = now }
      plan(worker, .paused(call: call), at: now + JobSchedule<Int>.longestWait)
      return
    }
    if token.isCancelled || token.deadline <= now { return try finish(worker, call) }
    goOn(worker, call)
  }

  private func finishTurn(_ worker: Int, _ call: Int) throws(Finding) {
    guard let entry = calls[call], entry.turns > 1 else { return try finish(worker, call) }
    calls[call]?.turns -= 1
    let isCancelled = entry.cancelled != nil
    wake(schedule.resubmit(job(call), of: worker, at: now))
    lastUse = now
    if isCancelled { try end(call, from: .running) } else { move(call, to: .waiting) }
    // The event loop considers the deadline of the rest.
    for poller in workerNumbers where workers[poller]?.state == .polling && inbox.isEmpty {
      plan(poller, .polling, at: schedule.nextExpiry)
    }
    plan(worker, .asking, at: now)
  }

  private func finish(_ worker: Int, _ call: Int) throws(Finding) {
    wake(schedule.finish(worker, at: now))
    lastUse = now
    if let cancelled = calls[call]?.cancelled, let step = calls[call]?.step, step != .max,
      now - cancelled > step + .milliseconds(2)
    {
      throw fail("call \(call) ran for \((now - cancelled).seconds) s after it was cancelled")
    }
    try end(call, from: .running)
    plan(worker, .asking, at: now)
  }
}
