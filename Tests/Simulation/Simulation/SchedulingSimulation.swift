package import FaceCore
import Service

/// An invariant that did not hold, with the event after which that was seen.
package struct Finding: Error, CustomStringConvertible {
  package let event: Int
  package let text: String
  package var description: String { "event \(event): \(text)" }
}

/// Drives `WorkerSchedule` with users, workers and a clock that a seed makes up, and checks after every event what
/// it promises.
///
/// Threads are state machines here: a worker that asks for a turn, runs, is paused or waits acts at a time of
/// its own, and one that waits acts only when it is woken. So a lost wake-up is a worker that never acts.
package struct SchedulingSimulation {
  enum Event {
    /// A worker acts, unless its `version` has changed since.
    case act(worker: Int, version: Int)
    case user(Int)
  }

  struct Worker {
    enum State: Int, CaseIterable {
      case asking, waiting, leaving, polling, reading, running, paused, stalled, ended
    }
    var state = State.asking
    var version = 0
    var mayGrow = true
    /// The call that it runs, its token, the work that is left of the turn, and when that was counted.
    var call = 0
    var token: CancellationToken?
    var left = TimeSpan.zero
    var since = MonotonicTime(nanoseconds: 0)
    /// What it has of the memory for pictures.
    var pixels = 0
  }

  var random: SeededRandom
  package internal(set) var now = MonotonicTime(nanoseconds: 1)
  var timeline = Timeline<Event>()
  let capacity: Int
  let extra: Int
  let limits: EngineLimits
  let accounts: UserAccounts
  var schedule: WorkerSchedule<Int>
  /// All workers that there ever were, by their numbers, and the numbers of those that have not ended.
  var workers: [Worker] = []
  var workerNumbers: [Int] = []
  /// The number of workers in each state.
  var stateCounts = [Int](repeating: 0, count: Worker.State.allCases.count)
  var users: [SimulatedUser] = []
  /// All calls that there ever were, by their numbers.
  var calls: [SimulatedCall] = []
  /// Users whose messages nobody has read yet, and those whose messages are being read.
  var inbox: [Int] = []
  var batch: ArraySlice<Int> = []
  var lastConnection: UInt64 = 0
  var lastUse: MonotonicTime
  var isDraining = false
  let threadsFail: Bool
  /// What should happen, what users have of each limit, and what they have reserved beside their calls.
  var model: TurnModel
  var owned: LimitModel
  var reservations: [(user: UInt32, amount: UserAccount, own: Reservation)] = []
  /// The memory for pictures, what is left of it, and the workers whose calls wait for it.
  let allPixels: Int
  var freePixels: Int
  var memoryLine: [Int] = []
  /// Whether the one that waits for the connections is about to start what may run in place of a call that waits for
  /// memory.
  var isPollerWoken = false
  /// The worker that waits for the connections, until it asks for its next turn.
  var poller: Int?
  let stuckTimes: (silent: TimeSpan, abandoned: TimeSpan)
  /// The waiting calls, and the nanoseconds of all deadlines that there ever were.
  var waiting: Set<Int> = []
  var deadlines: Set<Int64> = []
  var waitingCalls = 0
  var runningCalls = 0
  /// The number of turns that began or ended and of calls that came: what changes whose turn it is.
  var changes = 0
  /// Since when a call has been paused that may continue.
  var needlessPause = MonotonicTime.never
  /// Since when a call that may start has waited, and the number of changes until then.
  var missedStart = (since: MonotonicTime.never, changes: 0)
  package private(set) var eventCount = 0

  package init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    capacity = random.pick(1...4)
    extra = random.pick(1...6)
    threadsFail = random.isLucky(oneIn: 4)
    var limits = EngineLimits()
    (limits.queuedCalls, limits.queuedBytes) = (random.pick(4...60), random.pick(8000...100_000))
    (limits.checks, limits.checksPerUser) = (random.pick(2...8), random.pick(1...3))
    (limits.mappedBytes, limits.mappedBytesPerUser) = (
      limits.queuedBytes, limits.queuedBytes / random.pick(1...4)
    )
    limits.incomingBytes = limits.queuedBytes
    self.limits = limits
    (model, owned) = (TurnModel(capacity: capacity, extra: extra), LimitModel(limits))
    allPixels = random.pick(30...300)
    freePixels = allPixels
    stuckTimes = (random.span(from: .milliseconds(100), to: .seconds(3)), .milliseconds(200))
    accounts = UserAccounts(limits)
    schedule = WorkerSchedule(capacity: capacity, extra: extra, accounts: accounts, at: now)
    lastUse = now
    for worker in schedule.permanentWorkers { addWorker(worker) }
    // In some seeds more users come and go than are kept in mind.
    for user in 0..<(random.isLucky(oneIn: 6) ? random.pick(70...200) : random.pick(1...12)) {
      let count = UInt64(random.pick(1...3))
      users.append(SimulatedUser(connections: Array(lastConnection + 1...lastConnection + count), &random))
      lastConnection += count
      timeline.add(.user(user), at: now)
    }
  }

  /// Runs some events, then lets everything end.
  package mutating func run(events: Int) throws(Finding) {
    while eventCount < events { try step() }
    try drain()
  }

  mutating func step() throws(Finding) {
    guard let (time, event) = timeline.popFirst() else { throw fail("nothing will ever happen") }
    eventCount += 1
    now = max(now, time)
    switch event {
    case .user(let user): receive(user)
    case .act(let worker, let version):
      if workers[worker].version == version { try act(worker) }
    }
    try check()
  }

  func fail(_ text: String) -> Finding {
    Finding(event: eventCount, text: "\(text) (at \(now.nanoseconds) ns)")
  }

  // MARK: Workers

  private mutating func addWorker(_ worker: Int) {
    while workers.count <= worker { workers.append(Worker(state: .ended)) }
    stateCounts[Worker.State.ended.rawValue] += 1
    workerNumbers.append(worker)
    plan(worker, .asking, at: soon())
  }

  func count(_ state: Worker.State) -> Int { stateCounts[state.rawValue] }

  /// When a thread that can run does so.
  mutating func soon() -> MonotonicTime {
    now + random.span(from: .microseconds(1), to: .milliseconds(1))
  }

  mutating func plan(_ worker: Int, _ state: Worker.State, at time: MonotonicTime) {
    stateCounts[workers[worker].state.rawValue] -= 1
    stateCounts[state.rawValue] += 1
    workers[worker].state = state
    workers[worker].version += 1
    guard time != .never else { return }
    timeline.add(.act(worker: worker, version: workers[worker].version), at: time)
  }

  /// Wakes those who are to act, and checks that they have something to do, and no others have.
  mutating func wake(
    _ wakes: WorkerSchedule<Int>.Wakes, expected: WorkerSchedule<Int>.Wakes
  ) throws(Finding) {
    let kinds = [
      (WorkerSchedule<Int>.Wakes.oneWaiting, "idle workers"), (.allWaiting, "all workers"),
      (.paused, "paused calls"),
    ]
    for (kind, name) in kinds where wakes.contains(kind) != expected.contains(kind) {
      throw fail(wakes.contains(kind) ? "\(name) are woken for nothing" : "\(name) are not woken")
    }
    wake(wakes)
  }

  mutating func wake(_ wakes: WorkerSchedule<Int>.Wakes) {
    if wakes.contains(.allWaiting) {
      for worker in workerNumbers where workers[worker].state == .waiting {
        plan(worker, .asking, at: soon())
      }
    } else if wakes.contains(.oneWaiting), count(.waiting) > 0 {
      var chosen = random.pick(1...count(.waiting))
      for worker in workerNumbers where workers[worker].state == .waiting {
        chosen -= 1
        if chosen == 0 { plan(worker, .asking, at: soon()) }
      }
    }
    guard wakes.contains(.paused), count(.paused) > 0 else { return }
    for worker in workerNumbers where workers[worker].state == .paused { plan(worker, .paused, at: soon()) }
  }

  mutating func act(_ worker: Int) throws(Finding) {
    switch workers[worker].state {
    case .asking: try ask(worker)
    case .waiting:
      // Its patience is over. No wake-up reaches it from now on.
      try ask(worker)
      if workers[worker].state == .waiting {
        plan(worker, .leaving, at: now + random.span(from: .microseconds(1), to: .milliseconds(20)))
      }
    case .leaving:
      let others = workerNumbers.count - 1
      let isSpare =
        waitingCalls == 0 || model.activeCount >= capacity + extra || model.turns.count + 2 <= others
      let mayEnd = others >= capacity + 2 && poller != nil && isSpare
      guard schedule.retire(worker) == mayEnd else {
        throw fail("worker \(worker) \(mayEnd ? "stays" : "ends"), with \(others) others")
      }
      if mayEnd { remove(worker) } else { try ask(worker) }
    case .polling: try poll(worker)
    case .reading: try read(worker)
    case .running, .paused: try reachCheck(worker)
    case .stalled: try reachMemory(worker)
    case .ended: break
    }
  }

  mutating func remove(_ worker: Int) {
    plan(worker, .ended, at: .never)
    workerNumbers.removeAll { $0 == worker }
  }

  private mutating func ask(_ worker: Int) throws(Finding) {
    let mayGrow = workers[worker].mayGrow
    workers[worker].mayGrow = true
    model.advance(to: now)
    if poller == worker { poller = nil }
    let isWatched = poller != nil
    let mayRun = model.mayStart && model.turns.count + 1 < workerNumbers.count
    let isShort =
      waitingCalls > 0 && model.activeCount < capacity + extra && model.turns.count + 2 > workerNumbers.count
    guard let (turn, wakes) = schedule.nextTurn(of: worker, at: now, mayGrow: mayGrow) else {
      guard !mayRun, !(mayGrow && isShort), isWatched else {
        throw fail("worker \(worker) has nothing to do, and \(waitingCalls) calls wait")
      }
      let patience: MonotonicTime = workerNumbers.count > capacity + 2 ? now + .seconds(10) : .never
      guard schedule.patience(at: now) == patience else {
        throw fail("worker \(worker) waits for another time than 10 s")
      }
      return plan(worker, .waiting, at: patience)
    }
    let isRun = if case .run = turn { true } else { false }
    guard isRun == mayRun else {
      throw fail("worker \(worker) is to \(turn), and \(waitingCalls) calls wait")
    }
    // Who begins a call leaves the connections to another one.
    try wake(wakes, expected: isRun && !isWatched ? .oneWaiting : [])
    switch turn {
    case .run(let job, let token): try begin(job, token, on: worker)
    case .poll:
      guard !isWatched, !(mayGrow && isShort) else {
        throw fail("two workers wait for the connections, or no further one is started")
      }
      poller = worker
      plan(worker, .polling, at: inbox.isEmpty ? schedule.nextExpiry : soon())
    case .start(let further):
      guard mayGrow, isShort else { throw fail("worker \(further) is started for nothing") }
      if threadsFail, random.isLucky(oneIn: 3) {
        schedule.discard(further)
        workers[worker].mayGrow = false
      } else {
        guard !workerNumbers.contains(further) else { throw fail("worker \(further) is started twice") }
        addWorker(further)
      }
      plan(worker, .asking, at: now)
    case .end: throw fail("worker \(worker) is to end")
    }
  }

  private mutating func poll(_ worker: Int) throws(Finding) {
    isPollerWoken = false
    let wasDue = schedule.nextExpiry <= now
    let expired = Set(schedule.takeExpired(at: now).map(\.work))
    guard expired == waiting.filter({ calls[$0].deadline <= now }) else {
      throw fail("calls \(expired.sorted()) expire, of \(waiting.sorted())")
    }
    guard schedule.nextExpiry > now else { throw fail("who waits for the connections wakes for nothing") }
    for call in expired.sorted() {
      model.remove(call, of: calls[call].requestID)
      try end(call, from: .waiting)
    }
    if wasDue { model.visit() }
    (batch, inbox) = (inbox[...], [])
    try read(worker)
  }

  /// Handles one message; that takes a while.
  private mutating func read(_ worker: Int) throws(Finding) {
    guard let user = batch.popFirst() else { return plan(worker, .asking, at: now) }
    try handle(user)
    plan(worker, .reading, at: now + random.span(from: .microseconds(1), to: .microseconds(500)))
  }
}
