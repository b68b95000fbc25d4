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
    health = HealthSchedule(
      interval: random.span(from: .milliseconds(200), to: .seconds(10)), idleTime: .seconds(60),
      pause: .seconds(3), at: clock.now)
    queue = SimulatedQueue(
      capacity: simulation.traits.workers, extra: limits.extraWorkers, accounts: accounts, clock: clock,
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
        case .mail: readMail(at: now)
        case .signals: while !signals.isEmpty { handle(signals.removeFirst(), at: now) }
        case .connections:
          for event in events.prefix(simulation.traits.batch) { connections.serve(event, at: now) }
        case .listener: if listener.isReady { try accept(at: now) }
        }
      }
      result = try lifecycle.settle(at: now)
    } catch {
      throw simulation.fail("the engine fails: \(error.message)")
    }
    // It stops once more, since the process that was to take over is gone.
    if !wasServing, listener.isClosed, !wasClosed { (stopCount, drainEnd) = (stopCount + 1, .never) }
    if case .draining(let until) = connections.phase { drainEnd = min(drainEnd, until) }
    if connections.isServing { drainEnd = .never } else if wasServing { stopCount += 1 }
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

  private enum Source: CaseIterable { case mail, signals, connections, listener }

  private func readMail(at now: MonotonicTime) {
    guard hasMail else { return }
    let letters = mail
    (mail, hasMail) = (EngineLifecycle.Mail(), false)
    if letters.stop { noteStop() }
    if letters.end != nil { noteDrain(.zero) }
    lifecycle.handle(letters, at: now)
  }

  private func handle(_ signal: ServiceSignal, at now: MonotonicTime) {
    if signal != .hangup {
      // Only the second one does not wait for calls.
      if isToldToStop { noteDrain(.zero) } else { noteStop() }
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
    let waiting = listener.socket.backlog
    try lifecycle.accept(at: now)
    let accepted = waiting.dropLast(listener.socket.backlog.count)
    ownAcceptedCount += accepted.count
    for transport in accepted { transport.accepted?(self) }
    for transport in accepted where transport.interest == nil { transport.reject() }
    transports += accepted.filter { $0.interest != nil }
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
    if isDue { wake() }
  }

  private func wake() {
    hasMail = true
    queue.pollSoon()
  }

  func close() {
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
      decoders.failure = Status(.unavailable, "no process that starts decoders answers")
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
    _ = health.finish(
      task, idleSince: queue.schedule.idleSince, runTime: .zero, at: now)
    planHealth()
  }

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
