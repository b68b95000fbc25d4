import FaceCore
import Posix
import Service
import Wire

/// A client that connects again and again, and what it does.
final class SimulatedPeer {
  enum Kind: CaseIterable {
    /// All that the protocol offers, by its rules.
    case polite
    /// Calls without a pause between them.
    case flood
    /// Reads its answers late.
    case slow
    /// Streams of frames.
    case streams
    /// A plain ttrpc client, without a Hello.
    case plain
    /// Sends what nobody should.
    case rude
    /// Connects and says nothing.
    case silent
  }

  unowned let simulation: ConnectionSimulation
  let number: Int
  let kind: Kind
  let user: UInt32
  var random: SeededRandom
  private(set) var transport: SimulatedTransport?
  private(set) var engine: SimulatedEngine?
  var ledger = PeerLedger()
  /// Bytes that were not delivered yet, and the number of bytes in all.
  private var outgoing: [UInt8] = []
  private(set) var producedCount = 0
  /// Descriptors to be passed, with the position of the byte that each goes with.
  private var passes: [Int] = []
  private(set) var hasFinished = false
  private(set) var connectedAt = MonotonicTime(nanoseconds: 0)
  /// Whether the engine has closed the connection.
  private(set) var isClosedByEngine = false
  /// When bytes were last read by the engine, and whether any frame was sent whole.
  var lastFrame: UInt64 = 0
  var lastBuffer: UInt32 = 0
  /// The buffer of the last image.
  var image = PeerLedger.NamedBuffer()

  init(_ simulation: ConnectionSimulation, number: Int, kind: Kind, user: UInt32, random: SeededRandom) {
    self.simulation = simulation
    self.number = number
    self.kind = kind
    self.user = user
    self.random = random
    plan()
  }

  var isConnected: Bool { transport != nil }
  /// Whether the answers count: the peer is there, keeps the rules, and the engine has not refused it.
  var isOwedAnswers: Bool { isConnected && !isClosedByEngine && !ledger.isRude }

  private func plan() {
    let longest: TimeSpan =
      switch kind {
      case .flood: .milliseconds(2)
      case .streams, .rude: .milliseconds(10)
      case .polite, .slow, .plain: .milliseconds(50)
      case .silent: .seconds(20)
      }
    let pause = random.span(from: .microseconds(10), to: longest).nanoseconds * Int64(simulation.traits.pace)
    let time = simulation.clock.now + .nanoseconds(pause)
    simulation.add(.peer(number), of: number, at: time)
  }

  // MARK: Connecting

  private func connect() {
    guard let socket = simulation.path.socket, !socket.isShut else { return }
    let transport = SimulatedTransport(
      client: Peer(process: Int32(number), user: user, group: user),
      room: kind == .slow ? random.pick(100...3000) : 64 << 10,
      random: SeededRandom(seed: random.next()))
    ledger = PeerLedger()
    ledger.isRude = kind == .rude
    (outgoing, producedCount, passes) = ([], 0, [])
    (hasFinished, isClosedByEngine) = (false, false)
    connectedAt = simulation.clock.now
    transport.losesDescriptor = random.isLucky(oneIn: simulation.traits.lostDescriptors)
    transport.received = { [unowned self] bytes in receive(bytes) }
    transport.accepted = { [unowned self, unowned transport] engine in
      if self.transport === transport { self.engine = engine }
    }
    transport.closed = { [unowned self, unowned transport] in noteClose(of: transport) }
    self.transport = transport
    socket.backlog.append(transport)
    simulation.look(at: socket)
    if kind != .plain, kind != .silent { sayHello() }
  }

  /// The connection ends, at whatever byte it is.
  func leave() {
    transport?.leave()
    engine?.look()
    transport = nil
    engine = nil
  }

  /// The process of an engine has died. A connection that it has not accepted waits for another one.
  func lose(_ dead: SimulatedEngine) {
    guard engine === dead else { return }
    transport = nil
    engine = nil
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    if let engine, let transport {
      ledger.context = PeerLedger.Context(
        engine: engine, connection: transport.id, user: user,
        isRefused: engine.connections.connections[transport.id]?.refusal != nil,
        readCount: transport.readCount, now: simulation.clock.now)
    }
    if let fault = ledger.receive(bytes) { simulation.note("peer \(number) (\(kind)): \(fault)") }
  }

  private func noteClose(of closed: SimulatedTransport) {
    guard closed === transport else { return }
    isClosedByEngine = true
    if let engine { simulation.checkClose(of: self, closed, by: engine) }
  }

  // MARK: Acting

  func act() throws(Finding) {
    defer { if !simulation.isOver, isConnected || !simulation.isDraining { plan() } }
    guard let transport else {
      if simulation.isDraining { return }
      return connect()
    }
    if isClosedByEngine {
      self.transport = nil
      engine = nil
      return
    }
    if kind == .silent, !random.isLucky(oneIn: 8) { return }
    makeRoom(transport)
    if random.isLucky(oneIn: 150) { return leave() }
    if !hasFinished, outgoing.count < 64 << 10, !simulation.isDraining { say() }
    if !hasFinished, random.isLucky(oneIn: 120) { finish() }
    deliver(transport)
    engine?.look()
  }

  /// Sends no more, and reads on.
  private func finish() {
    hasFinished = true
    ledger.closeAll()
  }

  private func makeRoom(_ transport: SimulatedTransport) {
    let most = kind == .slow ? 4000 : 64 << 10
    if kind == .slow, !simulation.isDraining, !random.isLucky(oneIn: 5) { return }
    transport.makeRoom(max(0, most - transport.room))
  }

  /// Delivers a part of what was sent, or all of it.
  private func deliver(_ transport: SimulatedTransport) {
    if !outgoing.isEmpty {
      var count = outgoing.count
      if random.isLucky(oneIn: 3) { count = random.pick(1...count) }
      let first = transport.deliveredCount
      // A descriptor goes with the first byte of its frame.
      while let position = passes.first, position < first + count {
        simulation.memory.pass(to: transport, at: position)
        passes.removeFirst()
      }
      outgoing.removeFirst(transport.deliver(outgoing.prefix(count)))
    }
    if hasFinished, outgoing.isEmpty { transport.finish() }
  }

  // MARK: Sending

  /// Sends a frame.
  /// - Parameter passesDescriptor: whether a descriptor goes with it.
  func send(_ frame: [UInt8], passesDescriptor: Bool = false) {
    if passesDescriptor { passes.append(producedCount) }
    outgoing += frame
    producedCount += frame.count
  }

  private func sayHello() {
    let features = Feature.allCases.map(\.rawValue)
    let number = ledger.nextNumber()
    guard
      let frame = try? HelloCall.requestFrame(
        CallHeader(stream: number), HelloRequest(client: "simulated", features: features))
    else { return }
    send(frame)
    ledger.add(number, .hello, .hello, end: producedCount)
  }
}
