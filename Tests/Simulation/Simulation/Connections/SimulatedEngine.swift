import FaceCore
import Logging
import Posix
import Service
import Wire

/// An engine without threads and sockets: the real lifecycle, connections, calls and schedule, on a virtual
/// clock.
final class SimulatedEngine {
  unowned let simulation: ConnectionSimulation
  let number: Int
  let clock: VirtualClock
  let limits: EngineLimits
  let accounts: UserAccounts
  let detector = SimulatedDetector()
  let decoders = SimulatedDecoders()
  let listener: SimulatedListener
  private(set) var callHandler: CallHandler
  private(set) var connections: ConnectionManager
  private(set) var lifecycle: EngineLifecycle
  private(set) var queue: SimulatedQueue
  private var random: SeededRandom
  private var health: HealthSchedule
  private var isReloadRequested = false
  private var mail = EngineLifecycle.Mail()
  private var hasMail = false
  private var signals: [ServiceSignal] = []
  /// Accepted connections, in order.
  var transports: [SimulatedTransport] = []
  /// How it has ended, whether it is closed, and whether it has released its socket, too.
  private(set) var result: Bool?
  private(set) var isClosed = false
  private(set) var isReleased = false
  /// The time by which a drain that has begun must end.
  private(set) var drainEnd = MonotonicTime.never
  /// How often it has begun to stop or to hand over.
  private(set) var stopCount = 0
  /// Whether it serves again after a hand-over, announces that it stops now, and answers what is left at its end.
  private(set) var hasResumed = false
  private(set) var isAnnouncing = false
  private(set) var isEnding = false
  /// The calls that were read, and those that their clients know to be answered.
  var read: [Method: Int] = [:]
  var answered: [Method: Int] = [:]
  var hasInherited: Bool { inheritedBytes > 0 || isUncounted || isSuccessor }
  private let isSuccessor: Bool
  /// Since when nothing is left to do for one that stops, and when it began to stop or to hand over.
  var doneSince = MonotonicTime.never
  private var drainStart = MonotonicTime.never
  /// Whether it has been told to end without waiting for calls.
  private var isHurried = false
  /// The time until which it accepts nothing, since there were no descriptors.
  private(set) var pausedUntil = MonotonicTime(nanoseconds: 0)
  /// The nanoseconds of all times at which something had to be done, and the time limits of connections.
  var timers: Set<Int64> = []
  private var limitedConnections: [UInt64: MonotonicTime] = [:]
  /// Whether the last self-test or reload was passed.
  private(set) var hasPassed = true
  /// Since when the announced health has not been the true one.
  var untrueSince = MonotonicTime.never
  /// Since when something has been ready.
  var readySince = MonotonicTime.never
  /// Since when it has not waited for connections, and the time from which it has to serve again.
  var deafSince = MonotonicTime.never
  var resumesBy = MonotonicTime.never
  /// Whether an engine before it has ended without its last counters.
  var isUncounted = false
  private var ownAcceptedCount = 0
  private var ownReadCount = 0
  /// What the engines before it have accepted and read.
  var inheritedConnections = 0
  var inheritedBytes = 0

  var service: DetectorService { callHandler.service }

  init(
    _ simulation: ConnectionSimulation, number: Int, listener: SimulatedListener, counters: EngineCounters?
  ) throws(Finding) {
    self.simulation = simulation
    self.number = number
    self.listener = listener
    isSuccessor = counters != nil
    clock = simulation.clock
    limits = simulation.traits.limits
    random = SeededRandom(seed: simulation.seed &* 31 &+ UInt64(number))
    let accounts = UserAccounts(limits)
    self.accounts = accounts
    let clock = clock
    let decoders = decoders
    let stuck = Promise<SimulatedQueue>()
    let statistics = Statistics(accounts, decoders: decoders, now: { clock.now })
    if let counters { statistics.inherit(counters) }
    let service = DetectorService(
      detector: detector, models: detector, version: "0", limits: limits,
      drainTimeout: simulation.traits.drainTimeout, sandbox: [], statistics: statistics, decoders: decoders,
      isBlocked: { decoders.failure != nil || stuck.value.map { $0.timeWhenStuck <= clock.now } == true })
    callHandler = CallHandler(service: service, now: { clock.now })
    testInterval = random.span(from: .milliseconds(200), to: .seconds(10))
    (lastTest, lastRelease) = (clock.now, clock.now)
    health = HealthSchedule(
      interval: testInterval, idleTime: Self.pauses.release, pause: Self.pauses.trim, at: clock.now)
    queue = SimulatedQueue(
      capacity: simulation.traits.workers, extra: limits.extraWorkers, accounts: accounts, limits: limits,
      clock: clock,
      random: SeededRandom(seed: simulation.seed &* 37 &+ UInt64(number)))
    stuck.value = queue
    service.health.test()
    let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
    connections = ConnectionManager(
      limits: limits, access: AccessList(), callHandler: callHandler, queue: queue, accounts: accounts,
      logger: logger, accessLog: nil, firstConnection: counters?.nextConnection ?? 0,
      endTimeout: simulation.traits.endTimeout, isSocketFolder: { _ in true })
    let reload = Promise<() -> Void>()
    do {
      lifecycle = try EngineLifecycle(
        connections, listener: listener, drainTimeout: simulation.traits.drainTimeout,
        requests: .init(notify: { _ in }, reload: { reload.value?() }), logger: logger)
    } catch {
      throw simulation.fail("no engine starts: \(error.message)")
    }
    detector.reloaded = { [unowned self] in hasPassed = true }
    reload.value = { [unowned self] in requestReload() }
    queue.start(for: self)
    planHealth()
  }

  /// The identity of an actor of this engine; see `ConnectionSimulation.add`.
  func actor(_ worker: Int) -> Int { 512 * number + 64 + worker }

  // MARK: The thread that waits

  /// Plans when the waiting worker wakes.
  func beginToWait() {
    let time = lifecycle.prepareToWait()
    checkTimer(time)
    if isReady { queue.pollSoon() } else { queue.poll(at: max(time, clock.now)) }
  }

  var isReady: Bool {
    hasMail || !signals.isEmpty || listener.isReady || transports.contains { $0.event != nil }
  }

  /// Called whenever something may have become ready.
  func look() { if isReady { queue.pollSoon() } }

  func poll() throws(Finding) {
    let now = clock.now
    let wasServing = connections.isServing
    let wasClosed = listener.isClosed
    let events = transports.compactMap(\.event)
    do throws(Status) {
      // epoll gives what is ready in no certain order.
      for source in Source.allCases.shuffled(using: &random) {
        switch source {
        case .mail: announcing { readMail(at: now) }
        case .signals: announcing { while !signals.isEmpty { handle(signals.removeFirst(), at: now) } }
        case .connections:
          for event in events.prefix(simulation.traits.batch) { connections.serve(event, at: now) }
        case .listener: if listener.isReady { try accept(at: now) }
        }
      }
      isAnnouncing = true
      result = try lifecycle.settle(at: now)
      isAnnouncing = false
    } catch {
      throw simulation.fail("the engine fails: \(error.message)")
    }
    // It stops once more, since the process that was to take over is gone.
    if !wasServing, listener.isClosed, !wasClosed { (stopCount, drainEnd) = (stopCount + 1, .never) }
    if case .draining(let until) = connections.phase { drainEnd = min(drainEnd, until) }
    if connections.isServing {
      drainEnd = .never
      if !wasServing { hasResumed = true }
    } else if wasServing {
      stopCount += 1
      drainStart = now
    }
    noteTimers()
    lastPoll = now
    if isToldToStop, listener.isClosed { isStopping = true }
    if isToldToStop, connections.isServing {
      throw simulation.fail("engine \(number) serves, although it was told to stop")
    }
    forgetClosed()
    guard result != nil else { return }
    queue.stop()
    simulation.add(
      .close(number), of: actor(60), at: now + random.span(from: .microseconds(1), to: .milliseconds(2)))
  }

  private func announcing(_ body: () -> Void) {
    isAnnouncing = true
    body()
    isAnnouncing = false
  }

  // MARK: Timers

  /// Notes until when connections have to do something, and what else has a time.
  private func noteTimers() {
    let now = clock.now
    let open = connections.connections
    limitedConnections = limitedConnections.filter {
      open[$0.key].map { $0.phase == .new || $0.phase == .closing } == true
    }
    for (id, connection) in open where connection.phase == .new || connection.phase == .closing {
      // A connection that the engine will close has as long again.
      if limitedConnections[id] == nil || connection.phase == .closing && !closing.contains(id) {
        limitedConnections[id] = now + limits.firstFrameTimeout
        if connection.phase == .closing { closing.insert(id) }
      }
    }
    let traits = simulation.traits
    let times = [
      limits.firstFrameTimeout, traits.drainTimeout, traits.endTimeout,
      max(traits.drainTimeout, traits.endTimeout),
      .milliseconds(100), .zero,
    ]
    for time in times { timers.insert((now + time).nanoseconds) }
  }

  /// Connections that are closed once their clients have read the answers.
  private var closing: Set<UInt64> = []
  private var lastPoll = MonotonicTime(nanoseconds: 0)
  /// The time that the waiting thread was given last, if that had passed.
  private var lastOver = MonotonicTime.never
  private var overCount = 0

  /// The thread that waits for the connections wakes when something has to be done, and not otherwise.
  private func checkTimer(_ time: MonotonicTime) {
    let stuck = connections.announcedHealth == .serving ? queue.timeWhenStuck : .never
    let due = min(
      simulation.successor?.endTime(of: self) ?? .never, limitedConnections.values.min() ?? .never,
      queue.waiting.values.map(\.deadline).min() ?? .never, stuck, drainEnd)
    if time > due {
      simulation.note(
        "engine \(number) sleeps until \(time.nanoseconds) ns, and something is due at \(due.nanoseconds) ns")
    }
    // What was due at the last poll was done then. Frames that came to the workers later may have been late already.
    let isOver = time <= lastPoll && !isReady
    overCount = isOver && time == lastOver ? overCount + 1 : 0
    if overCount > 20 { simulation.note("engine \(number) does not sleep: \(time.nanoseconds) ns") }
    lastOver = isOver ? time : .never
    guard time != .never, time != stuck, time != drainEnd, !timers.contains(time.nanoseconds) else { return }
    simulation.note("engine \(number) wakes at \(time.nanoseconds) ns for nothing")
  }

  private enum Source: CaseIterable { case mail, signals, connections, listener }

  private func readMail(at now: MonotonicTime) {
    guard hasMail else { return }
    let letters = mail
    (mail, hasMail) = (EngineLifecycle.Mail(), false)
    if letters.stop { noteStop() }
    if letters.end != nil {
      noteDrain(.zero)
      isHurried = true
    }
    lifecycle.handle(letters, at: now)
  }

  private func handle(_ signal: ServiceSignal, at now: MonotonicTime) {
    if signal != .hangup {
      // Only the second one does not wait for calls.
      if isToldToStop {
        noteDrain(.zero)
        isHurried = true
      } else {
        noteStop()
      }
    }
    lifecycle.handle(signal, at: now)
  }

  private func noteStop() {
    isToldToStop = true
    if connections.isServing { noteDrain(simulation.traits.drainTimeout) }
  }

  private func forgetClosed() {
    for transport in transports where transport.interest == nil { ownReadCount += transport.readCount }
    transports.removeAll { $0.interest == nil }
  }

  /// The connections that it has accepted, and the bytes that it has read, with those of the engines before it.
  var acceptedCount: Int { inheritedConnections + ownAcceptedCount }
  var readCount: Int { transports.reduce(inheritedBytes + ownReadCount) { $0 + $1.readCount } }

  func checkCounters() throws(Finding) {
    if isUncounted { return }
    let counters = service.statistics.counters
    guard counters.connectionsTotal == acceptedCount, counters.receivedBytes == readCount else {
      throw simulation.fail(
        "engine \(number) counts \(counters.connectionsTotal) connections of \(acceptedCount), \(counters.receivedBytes) bytes of \(readCount)"
      )
    }
  }

  /// The process dies.
  func die() {
    (result, isClosed, isReleased) = (false, true, true)
    listener.die()
    queue.die()
  }

  private func accept(at now: MonotonicTime) throws(Status) {
    listener.admit = { [unowned self] transport, handle in admit(transport, handle) }
    let (waiting, failures) = (listener.socket.backlog, listener.failures)
    try lifecycle.accept(at: now)
    if listener.failures < failures { pausedUntil = now + .milliseconds(100) }
    let accepted = waiting.dropLast(listener.socket.backlog.count)
    ownAcceptedCount += accepted.count
    for transport in accepted { transport.accepted?(self) }
    for transport in accepted where transport.interest == nil { transport.reject() }
    transports += accepted.filter { $0.interest != nil }
  }

  private enum Admission { case served, refused, rejected }

  /// A connection is refused with answers beyond the user's limit, and without beyond twice that, or beyond that of
  /// all. Those whose clients are gone do not count.
  private func admit(_ transport: SimulatedTransport, _ handle: () -> Void) {
    let open = connections.connections.values.map { ($0.peer.user, $0.transport.isAbandoned) }
    let user = transport.client.user
    func admission(_ open: [(user: UInt32, isGone: Bool)]) -> Admission {
      let own = open.count { $0.user == user }
      if open.count >= limits.connections || own >= 2 * limits.connectionsPerUser { return .rejected }
      return own < limits.connectionsPerUser ? .served : .refused
    }
    var expected = admission(open)
    if expected != .served { expected = admission(open.filter { $0.0 != user || !$0.1 }) }
    handle()
    let connection = transport.interest == nil ? nil : connections.connections[transport.id]
    let actual: Admission = connection.map { $0.refusal == nil ? .served : .refused } ?? .rejected
    if actual != expected {
      simulation.note("a connection of user \(user) is \(actual), and should be \(expected)")
    }
  }

  private func noteDrain(_ time: TimeSpan) {
    drainEnd = min(drainEnd, clock.now + time)
    if connections.isServing { isStopping = true }
  }

  func deliver(_ completion: Completion?) {
    let isDue =
      if let completion { lifecycle.deliver(completion, at: clock.now) } else {
        lifecycle.isDue(at: clock.now)
      }
    noteTimers()
    if isDue { wake() }
  }

  private func wake() {
    hasMail = true
    queue.pollSoon()
  }

  func close() {
    isEnding = true
    let isEarly = clock.now < drainStart + simulation.traits.drainTimeout && !isHurried && !lifecycle.isLost
    if isEarly, connections.callCount > 0 {
      simulation.note(
        "engine \(number) ends \((clock.now - drainStart).seconds) s after it began to, without \(connections.callCount) calls"
      )
    }
    lifecycle.close()
    isClosed = true
    if !connections.hasPredecessor { release() }
  }

  private func release() {
    lifecycle.releaseSocket()
    listener.end()
    isReleased = true
  }

  /// The engine whose place this one takes has ended, or is given up by this one, which has failed.
  func endTakeOver(isFailed: Bool = false) {
    if isFailed { connections.hasPredecessor = false } else { lifecycle.ownSocketFile() }
    if isClosed, !isReleased { release() }
  }

  /// The engine can never serve again.
  func fail() {
    mail.end = "it has failed"
    wake()
  }

  // MARK: From outside

  func signal(_ signal: ServiceSignal) {
    signals.append(signal)
    look()
  }

  func changeDecoders() {
    if decoders.failure != nil {
      decoders.failure = nil
    } else if random.isLucky(oneIn: 40) {
      return fail()
    } else {
      decoders.failure = Status(.unavailable, "decoders cannot be started")
    }
    wake()
  }

  // MARK: Health

  private func requestReload() {
    isReloadRequested = true
    planHealth(at: clock.now + random.span(from: .microseconds(10), to: .milliseconds(5)))
  }

  private func planHealth(at time: MonotonicTime? = nil) {
    simulation.add(.health(number), of: actor(61), at: time ?? health.nextTime)
  }

  /// The health monitor's thread acts.
  func checkHealth() {
    if isClosed { return }
    let now = clock.now
    guard isReloadRequested || health.nextTime <= now else { return }
    let task = isReloadRequested ? HealthSchedule.Task.reload : health.nextTask
    isReloadRequested = false
    switch task {
    case .test:
      detector.failsTests = random.isLucky(oneIn: 12)
      let stuck = queue.hasLongStuck ? Status(.unavailable, "workers are stuck") : nil
      if let stuck { service.health.record(stuck) }
      let failure = stuck ?? service.health.test()
      hasPassed = failure == nil
      mail.add(.tested(failure))
      wake()
    case .reload:
      mail.add(.reloaded(service.reloadModels()))
      wake()
    case .trim, .release, .end: break
    }
    let idle = queue.schedule.idleSince
    check(task, health.finish(task, idleSince: idle, runTime: .zero, at: now), idle: idle)
    planHealth()
  }

  private static let pauses = (trim: TimeSpan.seconds(3), release: TimeSpan.seconds(60))

  /// The models are tested in time. Memory is released once in a pause of the calls, and models in a long one.
  private func check(_ task: HealthSchedule.Task, _ actions: [HealthSchedule.Action], idle: MonotonicTime?) {
    let now = clock.now
    if case .test = task { lastTest = now }
    let pause = idle.map { now - $0 } ?? .zero
    if health.nextTime > lastTest + testInterval {
      simulation.note("the models are tested after \((health.nextTime - lastTest).seconds) s")
    }
    checksNow = lastCheck == now ? checksNow + 1 : 0
    lastCheck = now
    // Several tasks may be due at a time.
    if checksNow > 4 { simulation.note("the health monitor does not sleep") }
    for action in actions {
      switch action {
      case .releaseUnusedMemory:
        let isDue = pause >= Self.pauses.trim && trimmed != idle
        if !isDue { simulation.note("memory is released \(pause.seconds) s after the last call") }
        trimmed = idle
      case .releaseModels:
        if pause < Self.pauses.release {
          simulation.note("models are released \(pause.seconds) s after the last call")
        }
        lastRelease = now
      case .releaseMemoryOfBusierTimes: if pause >= Self.pauses.trim { simulation.note("no time is busier") }
      }
    }
    if pause > Self.pauses.trim + testInterval, trimmed != idle {
      simulation.note("memory is never released")
    }
    let unused = min(pause, now - lastRelease)
    if unused > Self.pauses.release * 2 + .milliseconds(10) { simulation.note("models are never released") }
  }

  private var checksNow = 0
  private var lastCheck = MonotonicTime(nanoseconds: 0)
  private var lastTest: MonotonicTime
  private var lastRelease: MonotonicTime
  private var trimmed: MonotonicTime?
  private let testInterval: TimeSpan

  /// Whether it has begun to stop, and not to hand over.
  private(set) var isStopping = false
  /// Whether a signal or a message has told it to stop.
  private var isToldToStop = false

  /// Whether the engine serves, by what the simulation knows.
  var isHealthy: Bool {
    hasPassed && decoders.failure == nil && queue.timeWhenStuck > clock.now
  }
}

/// A value that is known later.
final class Promise<Value>: @unchecked Sendable {
  var value: Value?
}
