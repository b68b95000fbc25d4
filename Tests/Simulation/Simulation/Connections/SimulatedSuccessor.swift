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
  /// The engine of this process, once it has the socket.
  private(set) var own: SimulatedEngine?
  private var isMortal: Bool
  private var hasSent = false

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
    }
    transport.closed = { [weak self] in self?.isOver = true }
    engine.resumesBy = .never
    engine.listener.socket.backlog.append(transport)
    engine.look()
    plan()
  }

  private var isOver = false

  private func plan() {
    let time = simulation.clock.now + random.span(from: .microseconds(10), to: .milliseconds(20))
    simulation.add(.successor, of: 1000, at: time)
  }

  func act() throws(Finding) {
    // Whoever stops the engine does not know of this process.
    if random.isLucky(oneIn: 12) { engine.signal(.terminate) }
    if isMortal, random.isLucky(oneIn: 6) { return try die() }
    if isOver, ledger.ended == nil {
      guard let own else { return try die() }
      // The other engine has ended without its last counters.
      own.isUncounted = true
      return simulation.endTakeOver()
    }
    if !hasSent {
      hasSent = true
      try send(
        try? HelloCall.requestFrame(CallHeader(stream: 1), HelloRequest(client: "next", features: [])), .hello
      )
      simulation.memory.pass(to: transport, at: transport.deliveredCount)
      try send(try? TakeOverCall.requestFrame(CallHeader(stream: 3), .begin), .takeOver)
    } else if own == nil, let counters = ledger.begun {
      own = try simulation.startEngine(engine.listener.socket, counters)
      try send(try? TakeOverCall.requestFrame(CallHeader(stream: 5), .end), .takeOver)
    } else if ledger.calls.isEmpty, ledger.begun == nil {
      // Refused.
      return try die()
    }
    engine.look()
    if ledger.ended == nil { plan() } else { try inherit() }
  }

  private var position = 0
  private var stream: UInt32 = 1

  private func send(_ frame: [UInt8]?, _ kind: PeerLedger.Kind) throws(Finding) {
    guard let frame else { throw simulation.fail("a request cannot be encoded") }
    _ = transport.deliver(frame[...])
    position += frame.count
    ledger.add(stream, kind, end: position)
    stream += 2
  }

  private func die() throws(Finding) {
    transport.leave()
    engine.look()
    if let own { simulation.kill(own) }
    engine.resumesBy = simulation.clock.now + .milliseconds(10)
    simulation.endTakeOver()
    if engine.isClosed, simulation.listening == nil, !simulation.isDraining { try simulation.startEngine() }
  }

  /// The engine before this one has ended: what it has counted is this one's.
  private func inherit() throws(Finding) {
    guard let own, let ended = ledger.ended else { return }
    own.service.statistics.inherit(ended)
    own.isUncounted = engine.isUncounted
    own.inheritedConnections = engine.acceptedCount
    own.inheritedBytes = engine.readCount
    transport.leave()
    simulation.endTakeOver()
    try own.checkCounters()
  }

  /// The other engine has ended.
  func noteEnd() { if ledger.ended == nil { isOver = true } }
}
