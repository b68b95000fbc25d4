import FaceCore
import Posix
import Wire

/// A connection in memory between the client and a stand-in for an engine: bytes arrive late and cut anywhere.
final class StandInWire {
  let engine: StandInEngine
  private unowned let simulation: ClientSimulation
  private var toEngine: [UInt8] = []
  private var toClient: [UInt8] = []
  private var arrived: [UInt8] = []
  private let capacity: Int
  private var isMoving = false
  /// Whether an end was closed, and whether the client has read all that came before.
  private(set) var isClosed = false
  private(set) var hasEnded = false
  /// The engine's end.
  private(set) var service: StandInService?

  init(_ simulation: ClientSimulation, to engine: StandInEngine) {
    (self.simulation, self.engine) = (simulation, engine)
    capacity = simulation.random.pick(20...simulation.traits.room)
    service = StandInService(simulation, engine, self)
  }

  // MARK: The client's end

  var hasRoom: Bool { isClosed || toEngine.count < capacity }
  var isReadable: Bool { !arrived.isEmpty || isClosed && toClient.isEmpty }

  func write(_ bytes: ArraySlice<UInt8>) -> Transfer {
    if isClosed { return .ended }
    var count = min(capacity - toEngine.count, bytes.count)
    guard count > 0 else { return .notNow }
    if simulation.random.isLucky(oneIn: 3) { count = simulation.random.pick(1...count) }
    toEngine += bytes.prefix(count)
    plan()
    return .bytes(count)
  }

  /// Some of the bytes that have arrived; `nil` at the end.
  func read() -> [UInt8]? {
    if arrived.isEmpty, isClosed, toClient.isEmpty {
      hasEnded = true
      return nil
    }
    let count = cut(arrived.count)
    defer { arrived.removeFirst(count) }
    return Array(arrived.prefix(count))
  }

  func shutDown() {
    (toClient, arrived) = ([], [])
    close()
    simulation.wake(self)
  }

  /// All of so many bytes, or some.
  private func cut(_ count: Int) -> Int {
    count == 0 || simulation.random.isLucky(oneIn: 2) ? count : simulation.random.pick(1...count)
  }

  // MARK: The engine's end

  func send(_ bytes: [UInt8]) {
    guard !isClosed else { return }
    toClient += bytes
    plan()
  }

  /// What was sent arrives, or a part of it.
  func close(losingBytes: Bool = false) {
    if isClosed { return }
    isClosed = true
    toEngine = []
    if losingBytes { toClient.removeLast(simulation.random.pick(0...toClient.count)) }
    service = nil
    simulation.wake(self)
    plan()
  }

  private func plan() {
    guard !isMoving, !toEngine.isEmpty && !engine.isFrozen || !toClient.isEmpty else { return }
    isMoving = true
    simulation.add(.arrival(self), after: simulation.delay())
  }

  /// The engine reads again.
  func thaw() { plan() }

  /// Some bytes arrive.
  func move() throws(Finding) {
    isMoving = false
    if !toEngine.isEmpty, !engine.isFrozen {
      let count = cut(toEngine.count)
      let bytes = Array(toEngine.prefix(count))
      toEngine.removeFirst(count)
      try service?.receive(bytes)
    }
    if !toClient.isEmpty {
      let count = cut(toClient.count)
      arrived += toClient.prefix(count)
      toClient.removeFirst(count)
    }
    simulation.wake(self)
    plan()
  }
}

/// A stand-in for an engine, which does anything that the protocol allows.
final class StandInEngine {
  let callLimit: Int
  let credit: Int
  let features: Set<Feature>
  /// How long a frame may take.
  let pace: TimeSpan
  /// An old one does not know Hello; one may refuse the peer.
  let knowsHello: Bool
  var refusal: Status?
  var isFrozen = false
  var isStopping = false
  var wires: [StandInWire] = []
  var links: [StreamLink] = []

  init(_ random: inout SeededRandom, refusesOneIn count: Int) {
    callLimit = random.pick(0...4)
    pace = random.span(from: .microseconds(50), to: .milliseconds(100))
    credit = random.pick(1...4)
    knowsHello = !random.isLucky(oneIn: 20)
    features = random.isLucky(oneIn: 8) ? [] : [.cancel, .goaway]
    if random.isLucky(oneIn: count) { refusal = Status(.resourceExhausted, "too many connections") }
  }

  /// Sends GOAWAY.
  func stop() {
    isStopping = true
    for wire in wires { wire.service?.sendGoAway() }
    for link in links { link.stop() }
  }

  /// The process ends: at the end of a drain, or it dies.
  func end(dies: Bool) {
    for wire in wires {
      if !dies { wire.service?.answerAll() }
      wire.close(losingBytes: dies)
    }
    for link in links { link.die() }
    (wires, links) = ([], [])
  }
}

/// What an engine serves on one connection.
final class StandInService {
  struct Call {
    let stream: UInt32
    let record: ClientCall
    var isServed: Bool
  }

  private unowned let simulation: ClientSimulation
  private let engine: StandInEngine
  private let wire: StandInWire
  private var parser = FrameParser(limit: FrameHeader.maxLength)
  private(set) var hasHello = false
  private var goAway: UInt32?
  private var lastStream: UInt32 = 0
  private var calls: [Call] = []
  private var cancelCount = 0

  init(_ simulation: ClientSimulation, _ engine: StandInEngine, _ wire: StandInWire) {
    (self.simulation, self.engine, self.wire) = (simulation, engine, wire)
  }

  private func has(_ feature: Feature) -> Bool {
    hasHello && engine.knowsHello && engine.features.contains(feature)
  }

  func receive(_ bytes: [UInt8]) throws(Finding) {
    var offset = 0
    while let event = parser.next(bytes.span, &offset) {
      guard case .frame(let frame) = event, let type = FrameType(rawValue: frame.header.type) else {
        throw simulation.fail("the client sends \(event)")
      }
      try receive(frame, type)
    }
  }

  private func receive(_ frame: Frame, _ type: FrameType) throws(Finding) {
    let stream = frame.header.stream
    switch type {
    case .request where stream == 1:
      hasHello = true
      sendHello()
    case .request:
      guard stream % 2 == 1, stream > lastStream else {
        throw simulation.fail("stream \(stream) comes after \(lastStream)")
      }
      lastStream = stream
      try serve(stream, frame.body)
    case .cancel:
      cancelCount += 1
      guard has(.cancel) else { throw simulation.fail("CANCEL comes without its feature") }
      answer(stream, .cancelled)
    default: throw simulation.fail("the client sends a frame of type \(type)")
    }
  }

  private func sendHello() {
    var limits = EngineLimits.unknown
    limits.callsPerConnection = engine.callLimit
    let response = HelloResponse(version: 1, engineVersion: "0", features: engine.features, limits: limits)
    let failure = engine.knowsHello ? engine.refusal : Status(.unimplemented, "there is no Hello")
    if let failure {
      wire.send(FailedCall.responseFrame(stream: 1, failure))
      if engine.refusal != nil { wire.close() }
    } else if let frame = try? HelloCall.responseFrame(stream: 1, response) {
      wire.send(frame)
    }
    if engine.isStopping { sendGoAway(closes: false) }
  }

  // MARK: Calls

  private func serve(_ stream: UInt32, _ body: [UInt8]) throws(Finding) {
    let number = body.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    guard let record = simulation.records[number] else { return }
    // A request may arrive here after the call was made again elsewhere; the record is about that attempt then.
    if record.end?.wire === wire, cancelCount < record.cancelsBefore {
      throw simulation.fail("a call that was given up is not cancelled")
    }
    let counted = calls.count { !$0.record.isImmediate }
    if engine.knowsHello, engine.callLimit > 0, !record.isImmediate, counted >= engine.callLimit {
      throw simulation.fail("\(counted + 1) calls are in flight, of \(engine.callLimit)")
    }
    let isServed = goAway.map { stream <= $0 } ?? true
    if isServed, record.mayBeServed {
      throw simulation.fail("call \(number) is made again, and may have been served")
    }
    if isServed { record.mayBeServed = true }
    calls.append(Call(stream: stream, record: record, isServed: isServed))
    let longest: TimeSpan = simulation.random.isLucky(oneIn: 30) ? .seconds(5) : .milliseconds(20)
    simulation.add(.work(self, stream), after: simulation.random.span(from: .microseconds(5), to: longest))
  }

  /// A call is done.
  func work(_ stream: UInt32) {
    guard let call = calls.first(where: { $0.stream == stream }) else { return }
    if call.isServed { return answer(stream, simulation.random.isLucky(oneIn: 10) ? .notFound : .ok) }
    // Refused calls may be answered, too.
    if simulation.random.isLucky(oneIn: 2) { answer(stream, .unavailable) }
  }

  private func answer(_ stream: UInt32, _ code: StatusCode) {
    guard let index = calls.firstIndex(where: { $0.stream == stream }) else { return }
    let call = calls.remove(at: index)
    if call.isServed { call.record.answer = code }
    wire.send(rawFrame(.response, stream, call.record.bytes + [UInt8(code.rawValue)]))
    closeIfDone()
  }

  func answerAll() {
    for call in calls { answer(call.stream, .unavailable) }
  }

  func sendGoAway(closes: Bool = true) {
    guard has(.goaway), goAway == nil else { return }
    // It may not serve the last of those that it has received.
    let count = calls.isEmpty ? 0 : simulation.random.pick(0...calls.count)
    let last = count == calls.count ? lastStream : calls[count].stream - 2
    for index in count..<calls.count where calls[index].isServed {
      calls[index].isServed = false
      calls[index].record.mayBeServed = false
    }
    goAway = last
    wire.send(ControlFromEngine.goAway(lastStream: last).frame)
    if closes { closeIfDone() }
  }

  /// A stopping engine closes the connection when it has answered everything.
  private func closeIfDone() {
    guard engine.isStopping, goAway != nil, calls.allSatisfy({ !$0.isServed }) else { return }
    wire.close()
  }

  /// Sends what no engine sends.
  func sendGarbage() { wire.send(rawFrame(.request, 3, [1, 2, 3])) }
}

func rawFrame(_ type: FrameType, _ stream: UInt32, _ body: [UInt8]) -> [UInt8] {
  [UInt8](capacity: FrameHeader.size + body.count) { output in
    FrameHeader(length: UInt32(body.count), stream: stream, type: type.rawValue).encode(to: &output)
    for byte in body { output.append(byte) }
  }
}
