package import FaceCore
import Posix
import Service

/// Drives the engine's connections, calls and lifecycle with clients, workers and a clock that a seed makes up,
/// and checks after every event what they promise.
package final class ConnectionSimulation {
  enum Event {
    case worker(Int, Int, Int)
    case peer(Int)
    case successor
    case health(Int)
    case close(Int)
    /// Something happens to the engine's process.
    case outside
  }

  let seed: UInt64
  var random: SeededRandom
  let clock = VirtualClock()
  let traits: ConnectionTraits
  let memory: SimulatedMemory
  private var timeline = Timeline<Event>()
  /// The path of the engine's socket.
  let path = SimulatedPath()
  private(set) var engines: [SimulatedEngine] = []
  private var lastNumber = -1
  private(set) var peers: [SimulatedPeer] = []
  private(set) var successor: SimulatedSuccessor?
  /// Whether the clients say nothing new.
  private(set) var isDraining = false
  private(set) var fault: String?
  package private(set) var eventCount = 0
  /// An end that takes more events is none.
  private var lastEvent = Int.max
  /// Calls and frames that were answered.
  package var answerCount = 0

  package init(seed: UInt64) throws(Finding) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    traits = ConnectionTraits(&random)
    do {
      memory = try SimulatedMemory()
    } catch {
      throw Finding(event: 0, text: error.message)
    }
    try startEngine()
    for number in 0..<random.pick(2...14) {
      let kind = SimulatedPeer.Kind.allCases.randomElement(using: &random) ?? .polite
      // The engine's own user may be any but these.
      let user = UInt32(random.isLucky(oneIn: 6) ? 0 : 70_000 + random.pick(0...3))
      peers.append(
        SimulatedPeer(
          self, number: number, kind: kind, user: user, random: SeededRandom(seed: random.next())))
    }
    planOutside()
  }

  package var time: MonotonicTime { clock.now }

  /// Whether no engine is there any more.
  var isOver: Bool { isDraining && engines.allSatisfy(\.isClosed) }

  func fail(_ text: String) -> Finding {
    Finding(event: eventCount, text: "\(text) (at \(clock.now.nanoseconds) ns)")
  }

  /// Notes what is wrong where nothing can be thrown.
  func note(_ text: String) { if fault == nil { fault = text } }

  /// Plans an event of an actor: a client, or a thread of an engine. Two actors never act at the same time, so
  /// the order in which events are planned does not matter.
  func add(_ event: Event, of actor: Int, at time: MonotonicTime) {
    let mask: Int64 = 1023
    let earliest = max(time, clock.now).nanoseconds
    var nanoseconds = earliest & ~mask | Int64(actor) & mask
    if nanoseconds < earliest { nanoseconds += mask + 1 }
    timeline.add(event, at: MonotonicTime(nanoseconds: nanoseconds))
  }

  /// Runs some events, then lets everything end.
  package func run(events: Int) throws(Finding) {
    while eventCount < events { try step() }
    try end()
  }

  func step() throws(Finding) {
    guard let (time, event) = timeline.popFirst() else { throw fail("nothing will ever happen") }
    eventCount += 1
    guard eventCount < lastEvent else { throw fail("it does not end") }
    clock.now = max(clock.now, time)
    switch event {
    case .worker(let engine, let worker, let version): try self.engine(engine)?.queue.act(worker, version)
    case .peer(let number): try peers[number].act()
    case .successor: try successor?.act()
    case .health(let engine): self.engine(engine)?.checkHealth()
    case .close(let engine): try close(engine)
    case .outside: try interfere()
    }
    try restart()
    if let fault { throw fail(fault) }
    try check()
  }

  private func engine(_ number: Int) -> SimulatedEngine? { engines.first { $0.number == number } }

  // MARK: Engines

  /// Starts an engine, or one that takes over and has the socket and the counters of another one.
  @discardableResult
  func startEngine(
    _ passed: SimulatedSocket? = nil, _ counters: EngineCounters? = nil
  ) throws(Finding) -> SimulatedEngine {
    let socket = passed ?? SimulatedSocket()
    if passed == nil {
      guard path.socket?.isShut != false else { throw fail("another engine has the socket") }
      path.socket = socket
    }
    let engine = try SimulatedEngine(
      self, number: nextNumber(),
      listener: SimulatedListener(socket, at: path, isOwned: passed == nil), counters: counters)
    engines.append(engine)
    // One that takes over from an engine that was told to stop for good.
    if isDraining { engine.signal(.terminate) }
    return engine
  }

  /// No number is used twice, since events of a process that was killed may still come.
  private func nextNumber() -> Int {
    lastNumber += 1
    // Engines that run at the same time are different actors; see `add`.
    if engines.contains(where: { ($0.number - lastNumber) % 2 == 0 }) { lastNumber += 1 }
    return lastNumber
  }

  /// A service manager starts an engine when there is none, nor one that is about to take over.
  private func restart() throws(Finding) {
    if !isDraining, successor == nil, engines.allSatisfy(\.isReleased) { try startEngine() }
  }

  /// Wakes the engines that listen at a socket.
  func look(at socket: SimulatedSocket) {
    for engine in engines where engine.listener.socket === socket { engine.look() }
  }

  /// The process of an engine dies.
  func kill(_ engine: SimulatedEngine) {
    engine.die()
    engines.removeAll { $0 === engine }
    for peer in peers { peer.lose(engine) }
    if let successor {
      if successor.own === engine { successor.die() } else { successor.lose(engine) }
    }
  }

  private func close(_ number: Int) throws(Finding) {
    guard let engine = engine(number) else { return }
    engine.close()
    // One that has failed does not wait for the engine whose place it takes.
    if let successor, successor.own === engine, engine.lifecycle.isLost { successor.giveUp() }
  }

  /// Ends engines whose workers are all gone.
  func bury() throws(Finding) {
    for engine in engines where engine.isReleased && engine.queue.numbers.isEmpty {
      // Waiting jobs of an engine that ends without them go with its process.
      if engine.result == false { engine.queue.forgetWaiting() }
      guard engine.accounts.total == UserAccount(), engine.accounts.userCount == 0 else {
        throw fail("engine \(engine.number) has ended, and has \(engine.accounts.total)")
      }
      engines.removeAll { $0 === engine }
    }
  }

  // MARK: What happens to the process

  private func planOutside() {
    let pause = random.span(from: .milliseconds(1), to: .milliseconds(400)) * Int64(max(1, traits.pace / 10))
    add(.outside, of: 1023, at: clock.now + pause)
  }

  private func interfere() throws(Finding) {
    defer { if !isDraining { planOutside() } }
    guard !isDraining, let engine = engines.last else { return }
    switch random.pick(0...15) {
    case 0...3: engine.changeDecoders()
    case 4...6: engine.listener.failures = random.pick(1...3)
    case 7...8: engine.signal(.hangup)
    case 9...11 where successor == nil && engine.result == nil:
      successor = SimulatedSuccessor(self, engine, random: SeededRandom(seed: random.next()))
    case 12: (engines.randomElement(using: &random) ?? engine).signal(.terminate)
    case 13 where random.isLucky(oneIn: 4): kill(engines.randomElement(using: &random) ?? engine)
    default: break
    }
  }

  func endTakeOver() { successor = nil }

  /// Lets everything end, and checks that nothing is left.
  private func end() throws(Finding) {
    isDraining = true
    lastEvent = eventCount + 100_000
    // In every other run the clients are gone first.
    if random.isLucky(oneIn: 2) {
      for peer in peers { peer.leave() }
      let end = clock.now + .seconds(3600)
      while engines.contains(where: { $0.result == nil && $0.queue.isBusy }) {
        guard clock.now < end else { throw fail("calls run for ever") }
        try step()
      }
    }
    for engine in engines { engine.signal(.terminate) }
    while !engines.isEmpty { try step() }
  }
}

/// What a seed decides for a whole run.
struct ConnectionTraits {
  let limits: EngineLimits
  let drainTimeout: TimeSpan
  let endTimeout: TimeSpan
  let workers: Int
  /// One of so many calls does not end when it is cancelled.
  let endlessCalls: Int
  /// One of so many connections finds no room for a descriptor.
  let lostDescriptors: Int
  /// How much slower the clients are: in slow seeds, nothing hides a lost wake-up.
  let pace: Int
  /// The most events of one wait.
  let batch: Int

  init(_ random: inout SeededRandom) {
    var limits = EngineLimits()
    limits.callsPerConnection = random.pick(1...10)
    limits.connectionsPerUser = random.pick(1...8)
    limits.streamsPerConnection = random.pick(1...4)
    limits.frameCredit = random.pick(1...4)
    limits.batchImages = random.pick(1...4)
    limits.buffersPerConnection = random.pick(1...3)
    limits.mappedBytesPerUser = SimulatedMemory.size * random.pick(1...4)
    limits.mappedBytes = SimulatedMemory.size * random.pick(2...8)
    limits.extraWorkers = random.pick(1...4)
    limits.connections = random.pick(3...30)
    limits.queuedCalls = random.pick(2...60)
    limits.queuedBytes = random.pick(10_000...600_000)
    limits.incomingBytes = random.pick(66_000...(random.isLucky(oneIn: 3) ? 150_000 : 500_000))
    limits.unreadBytes = random.pick(500...(random.isLucky(oneIn: 4) ? 1500 : 60_000))
    limits.maxMessageBytes = random.isLucky(oneIn: 4) ? 100_000 : 200_000
    limits.firstFrameTimeout = random.span(from: .milliseconds(20), to: .seconds(5))
    self.limits = limits
    drainTimeout = random.span(from: .milliseconds(5), to: .seconds(3))
    endTimeout = random.span(from: .milliseconds(30), to: .seconds(1))
    workers = random.pick(1...4)
    endlessCalls = random.isLucky(oneIn: 3) ? random.pick(10...60) : 100_000
    lostDescriptors = random.isLucky(oneIn: 4) ? 3 : 100_000
    pace = random.isLucky(oneIn: 3) ? (random.isLucky(oneIn: 3) ? 1000 : 20) : 1
    batch = random.pick(1...64)
  }
}

/// Memory that the clients share with the engine: all of them the same page.
struct SimulatedMemory: ~Copyable {
  static let size = 4096
  private let file: MemoryFile

  init() throws(Status) { file = try MemoryFile(size: Self.size) }

  func pass(to transport: SimulatedTransport, at position: Int) {
    transport.pass(file.descriptor, at: position)
  }
}
