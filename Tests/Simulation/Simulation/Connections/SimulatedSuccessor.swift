import FaceCore
import Posix
import Service
import Wire

/// A process that takes an engine's place, and may die at any moment.
final class SimulatedSuccessor {
  unowned let simulation: ConnectionSimulation
  /// The engine whose place it takes.
  let engine: SimulatedEngine
  private(set) var transport: SimulatedTransport
  private var random: SeededRandom
  private var ledger = PeerLedger()
  /// Its descriptor of the engine's socket, until its own engine has one.
  private var socket: SimulatedSocket?
  /// The engine of this process, once it listens.
  private(set) var own: SimulatedEngine?
  private var isMortal: Bool
  /// The steps that were sent.
  private var sent: [TakeOverCall.Step] = []
  /// Whether the connection has ended.
  private var isOver = false

  init(_ simulation: ConnectionSimulation, _ engine: SimulatedEngine, random: SeededRandom) {
    self.simulation = simulation
    self.engine = engine
    self.random = random
    isMortal = self.random.isLucky(oneIn: 3)
    transport = SimulatedTransport(
      client: Peer(process: 1000, user: 0, group: 0), room: 1 << 20,
      random: SeededRandom(seed: self.random.next()))
    transport.received = { [weak self] bytes in
      guard let self else { return }
      if let fault = ledger.receive(bytes) { simulation.note("the successor: \(fault)") }
      if ledger.handed.count == 2 { begun = min(begun, simulation.clock.now) }
    }
    transport.closed = { [weak self] in self?.isOver = true }
    transport.passed = { [weak self] socket in
      guard let self else { return socket.close() }
      if engine.listener.isClosed { simulation.note("an engine that stops hands its socket over") }
      self.socket = socket
    }
    engine.resumesBy = .never
    engine.listener.socket.backlog.append(transport)
    engine.look()
    plan()
  }

  private func plan(after longest: TimeSpan = .milliseconds(20)) {
    let time = simulation.clock.now + random.span(from: .microseconds(10), to: longest)
    simulation.add(.successor, of: 1000, at: time)
  }

  func act() throws(Finding) {
    // Whoever stops or kills the engine does not know of this process.
    if random.isLucky(oneIn: 12) { engine.signal(.terminate) }
    if random.isLucky(oneIn: 40), !engine.isClosed { simulation.kill(engine) }
    if isMortal, random.isLucky(oneIn: 6) { return die() }
    if ledger.handed.count == 3 { return try inherit() }
    if isOver { return try replace() }
    if ledger.isRefused { return sent == [.prepare] ? die() : end() }
    switch ledger.handed.count {
    // Often it is accepted before it speaks.
    case 0 where sent.isEmpty && random.isLucky(oneIn: 2):
      try send(
        try? HelloCall.requestFrame(CallHeader(stream: 1), HelloRequest(client: "next", features: [])), .hello
      )
      simulation.memory.pass(to: transport, at: transport.deliveredCount)
      try send(.prepare)
    case 1 where sent.count == 1: try send(.begin)
    case 2 where own == nil:
      try start(ledger.handed[1])
      own?.connections.hasPredecessor = true
      engine.resumesBy = simulation.clock.now + simulation.traits.endTimeout + .milliseconds(10)
      // It may be held up for so long that the engine resumes.
      if random.isLucky(oneIn: 2) { return plan(after: .seconds(2)) }
    case 2 where sent.count == 2:
      try send(.end)
      engine.resumesBy = .never
    default: break
    }
    engine.look()
    plan()
  }

  /// When the engine has answered BEGIN.
  private var begun = MonotonicTime.never

  /// The time by which that engine must have END, unless that has passed or END is on its way.
  func endTime(of other: SimulatedEngine) -> MonotonicTime {
    guard other === engine, sent.count == 2, !isOver, !transport.isGone, begun != .never else {
      return .never
    }
    let time = begun + simulation.traits.endTimeout
    return time > simulation.clock.now ? time : .never
  }

  private var position = 0
  private var stream: UInt32 = 1

  private func send(_ step: TakeOverCall.Step) throws(Finding) {
    sent.append(step)
    try send(try? TakeOverCall.requestFrame(CallHeader(stream: stream), step), .takeOver)
  }

  private func send(_ frame: [UInt8]?, _ kind: PeerLedger.Kind) throws(Finding) {
    guard let frame else { throw simulation.fail("a request cannot be encoded") }
    _ = transport.deliver(frame[...])
    position += frame.count
    ledger.add(stream, kind, .takeOver, end: position)
    stream += 2
  }

  /// Its own engine begins to listen.
  private func start(_ counters: EngineCounters) throws(Finding) {
    own = try simulation.startEngine(socket, counters)
    closeSocket()
  }

  private func closeSocket() {
    socket?.close()
    socket = nil
  }

  /// The process of an engine is dead.
  func lose(_ dead: SimulatedEngine) {
    if dead === engine { isOver = true }
  }

  /// This process dies.
  func die() {
    let dead = own
    own = nil
    leave()
    if let dead { simulation.kill(dead) }
  }

  /// Its own engine has failed.
  func giveUp() {
    own?.endTakeOver(isFailed: true)
    leave()
  }

  /// The engine serves on: this process has asked too late, and ends. The connection ends after its own engine.
  private func end() {
    guard let own, own.result == nil else { return giveUp() }
    own.fail()
  }

  private func leave() {
    closeSocket()
    transport.leave()
    if engine.result == nil { engine.look() }
    engine.resumesBy = simulation.clock.now + .milliseconds(10)
    simulation.endTakeOver()
  }

  /// The engine before this one has ended without its last counters.
  private func replace() throws(Finding) {
    guard own != nil || socket != nil else { return die() }
    if own == nil { try start(ledger.handed[0]) }
    own?.isUncounted = true
    own?.endTakeOver()
    simulation.endTakeOver()
  }

  /// The engine before this one has ended: what it has counted is this one's.
  private func inherit() throws(Finding) {
    transport.leave()
    simulation.endTakeOver()
    guard let own else { return }
    own.service.statistics.inherit(ledger.handed[2])
    own.isUncounted = engine.isUncounted
    own.inheritedConnections = engine.acceptedCount
    own.inheritedBytes = engine.readCount
    own.endTakeOver()
    try own.checkCounters()
  }
}
