import Client
package import FaceCore
import Posix
import Wire

/// Drives what decides in the client library with threads, connections, engines and a clock that a seed makes up,
/// and checks after every event what PROTOCOL.md promises to a caller.
package final class ClientSimulation {
  enum Event {
    case thread(Int, Int)
    case arrival(StandInWire)
    /// A call is done, or a frame.
    case work(StandInService, UInt32)
    case frame(StreamLink)
    case message(StreamLink, StreamLink.Message, toEngine: Bool)
    case opening(SimulatedStream, SimulatedStream.Purpose)
    case submit(SimulatedStream)
    case adding(SimulatedStream, FrameInfo, StreamLink)
    case closing(SimulatedStream)
    case end(StandInEngine)
    case thaw(StandInEngine)
    /// Something happens to an engine or a call.
    case outside
  }

  struct Traits {
    let room: Int
    let delay: TimeSpan
    let pause: TimeSpan
    let trouble: TimeSpan
    let refusals: Int

    init(_ random: inout SeededRandom) {
      room = random.pick(30...3000)
      delay = random.span(from: .microseconds(5), to: .milliseconds(5))
      pause = random.span(from: .microseconds(20), to: .milliseconds(50))
      trouble = random.span(from: .milliseconds(1), to: .milliseconds(200))
      refusals = random.isLucky(oneIn: 6) ? 2 : 20
    }
  }

  var random: SeededRandom
  let traits: Traits
  private(set) var now = MonotonicTime(nanoseconds: 1 << 30)
  private var timeline = Timeline<Event>()
  private(set) var callers: [CallingThread] = []
  private var streams: [SimulatedStream] = []
  private var lastCall: UInt64 = 0
  private var engines: [StandInEngine] = []
  /// The engine that clients reach.
  private(set) var listening: StandInEngine?
  private var ends: [ClientEnd] = []
  var search = ConnectionSearch<ClientEnd>()
  let searchers = ClientEnd.Condition()
  /// The calls without an outcome.
  var records: [UInt64: ClientCall] = [:]
  private var failures: [(status: Status, time: MonotonicTime)] = []
  /// The refused attempts to connect since the last success, and when the next one may be.
  private var refusals = 0
  private var nextConnect = MonotonicTime(nanoseconds: 0)
  private(set) var hasGarbage = false
  /// Whether no new call is made.
  private(set) var isEnding = false
  private var fault: String?
  package private(set) var eventCount = 0
  package var answerCount = 0
  private var lastEvent = Int.max

  package init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    traits = Traits(&random)
    startEngine()
    for number in 0..<random.pick(1...6) { callers.append(CallingThread(self, number: number)) }
    for _ in 0..<random.pick(0...3) { streams.append(SimulatedStream(self)) }
    add(.outside, after: traits.trouble)
  }

  package var time: MonotonicTime { now }

  func delay() -> TimeSpan { random.span(from: .microseconds(1), to: traits.delay) }

  func newRecord() -> ClientCall {
    lastCall += 1
    let record = ClientCall(lastCall, isImmediate: random.isLucky(oneIn: 4))
    records[lastCall] = record
    return record
  }

  func fail(_ text: String) -> Finding {
    Finding(event: eventCount, text: "\(text) (at \(now.nanoseconds) ns)")
  }

  /// Notes what is wrong where nothing can be thrown.
  func check(_ text: String?) { fault = fault ?? text }

  func add(_ event: Event, after span: TimeSpan) {
    timeline.add(event, at: now + max(span, .zero))
  }

  // MARK: Waking

  private func threads(waitingFor condition: AnyObject) -> [CallingThread] {
    callers.filter { $0.waitsFor === condition }
  }

  func wake(_ condition: AnyObject) {
    for thread in threads(waitingFor: condition) { thread.run() }
  }

  func wakeOne(_ condition: AnyObject) {
    threads(waitingFor: condition).randomElement(using: &random)?.run()
  }

  func wakeThread(_ thread: ClientThread) {
    if thread.waitsFor != nil { thread.run() }
  }

  /// Does what `ClientConnection` does with `CallTable.takeWakes`.
  func wakeCalls(of end: ClientEnd) {
    let wakes = end.calls.takeWakes()
    for call in wakes.calls { wake(call) }
    guard wakes.interruptsReader else { return }
    end.isInterrupted = true
    for caller in callers where caller.end === end && caller.isReading { wakeThread(caller) }
  }

  // MARK: Connections

  func connect(to engine: StandInEngine) -> ClientEnd {
    let end = ClientEnd(StandInWire(self, to: engine))
    engine.wires.append(end.wire)
    ends.append(end)
    return end
  }

  /// A connection of a stream, if the attempt succeeds.
  func openLink(of stream: SimulatedStream) -> StreamLink? {
    guard let engine = listening, !engine.isFrozen, engine.refusal == nil, !random.isLucky(oneIn: 10) else {
      return nil
    }
    let link = StreamLink(self, engine, stream)
    engine.links.append(link)
    return link
  }

  func noteFailure(_ status: Status, wasRefused: Bool) {
    failures.removeAll { $0.time + .seconds(3) < now }
    failures.append((status, now))
    guard wasRefused else { return }
    // At least half of a pause that doubles.
    nextConnect = now + min(.milliseconds(25) * (1 << Int64(min(refusals, 10))), .seconds(1))
    refusals += 1
  }

  func noteSuccess() { refusals = 0 }

  /// What is wrong with an attempt to connect.
  func connecting(isAlone: Bool) -> String? {
    if !isAlone { return "two threads connect" }
    return now < nextConnect ? "an engine that has refused the connection is not left alone" : nil
  }

  func hasFailedToConnect(with status: Status) -> Bool {
    failures.contains { $0.status == status && $0.time + .seconds(2) >= now }
  }

  // MARK: Events

  package func run(events: Int) throws(Finding) {
    while eventCount < events { try step() }
    isEnding = true
    for engine in engines { engine.isFrozen = false }
    if listening == nil { startEngine() }
    lastEvent = eventCount + 100_000
    while !callers.allSatisfy(\.isResting) || !streams.allSatisfy(\.isOver) { try step() }
  }

  private func step() throws(Finding) {
    guard let (time, event) = timeline.popFirst() else { throw fail("nothing will ever happen") }
    eventCount += 1
    guard eventCount < lastEvent else { throw fail("it does not end") }
    now = max(now, time)
    switch event {
    case .thread(let number, let version):
      if callers[number].version == version { try callers[number].act() }
    case .arrival(let wire): try wire.move()
    case .work(let service, let stream): service.work(stream)
    case .frame(let link): link.work()
    case .message(let link, let message, toEngine: true): try link.receive(message)
    case .message(let link, let message, toEngine: false): try link.stream.receive(message, on: link)
    case .opening(let stream, let purpose): try stream.opened(purpose)
    case .submit(let stream): try stream.submit()
    case .adding(let stream, let info, let link): try stream.add(info, on: link)
    case .closing(let stream): try stream.endClosing()
    case .end(let engine): end(engine, dies: false)
    case .thaw(let engine): thaw(engine)
    case .outside: interfere()
    }
    if let fault { throw fail(fault) }
    for index in streams.indices where streams[index].isOver && !isEnding {
      streams[index] = SimulatedStream(self)
    }
    try check()
  }

  private func startEngine() {
    let engine = StandInEngine(&random, refusesOneIn: traits.refusals)
    engines.append(engine)
    listening = engine
  }

  private func end(_ engine: StandInEngine, dies: Bool) {
    engines.removeAll { $0 === engine }
    if listening === engine { listening = nil }
    engine.end(dies: dies)
  }

  private func thaw(_ engine: StandInEngine) {
    engine.isFrozen = false
    for wire in engine.wires { wire.thaw() }
  }

  private func interfere() {
    add(.outside, after: random.span(from: .microseconds(50), to: traits.trouble))
    ends.removeAll { $0.wire.isClosed && $0.wire.hasEnded }
    callers.randomElement(using: &random)?.cancel()
    guard let engine = engines.randomElement(using: &random) else {
      if random.isLucky(oneIn: 2) || isEnding { startEngine() }
      return
    }
    if isEnding { return }
    switch random.pick(0...15) {
    case 0: end(engine, dies: true)
    case 1:
      engine.isFrozen = true
      add(.thaw(engine), after: random.span(from: .microseconds(50), to: .seconds(1)))
    case 2: if let wire = engine.wires.randomElement(using: &random) { wire.close(losingBytes: true) }
    case 3 where random.isLucky(oneIn: 4):
      hasGarbage = true
      engine.wires.randomElement(using: &random)?.service?.sendGarbage()
    case 4...8:
      guard !engine.isStopping else { break }
      // Another engine takes over, or starts later.
      if listening === engine, !random.isLucky(oneIn: 3) { listening = nil }
      if listening == nil, !random.isLucky(oneIn: 3) { startEngine() }
      engine.stop()
      add(.end(engine), after: random.span(from: .microseconds(50), to: .seconds(1)))
    default: if listening?.isStopping != false { startEngine() }
    }
  }

  // MARK: Checks

  private func check() throws(Finding) {
    for caller in callers {
      if caller.isOverdue { throw fail("thread \(caller.number) waits past the end of its call") }
      if caller.misses { throw fail("thread \(caller.number) sleeps, and its call is over") }
      guard let end = caller.end else { continue }
      if caller.isParked, !callers.contains(where: { $0.end === end && ($0.isReading || $0.isStepping) }) {
        throw fail("thread \(caller.number) waits, and nobody reads")
      }
      if caller.isQueued,
        end.slots.count + callers.count(where: { $0.end === end && $0.hasUnusedSlot }) < end.callLimit
      {
        throw fail("thread \(caller.number) waits for a slot, and one is free")
      }
    }
    if !threads(waitingFor: searchers).isEmpty, !callers.contains(where: \.isConnecting) {
      throw fail("threads wait, and nobody connects")
    }
    for caller in callers where caller.end.map({ caller.waitsFor === $0.turns }) == true {
      if callers.contains(where: { $0.end === caller.end && ($0.hasTurn || $0.isTakingTurn) }) { continue }
      throw fail("thread \(caller.number) waits to send, and nobody sends")
    }
  }
}
