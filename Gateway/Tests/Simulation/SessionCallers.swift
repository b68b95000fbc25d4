import ArgumentParser
import EngineLink
import FaceCore
import GatewayCoding
import GatewayHTTP
import GatewayServing
import NIOCore
import NIOEmbedded
import Wire

/// Sessions of HTTP callers and their frames, with an engine that is replaced, beside what docs/gateway.md promises.
/// Everything runs on the thread of the simulation's loop.
final class SessionCallers: SimulatedPart, @unchecked Sendable {
  private final class Holder: @unchecked Sendable {
    let session: Session
    var used: NIODeadline
    var isBusy = false
    var isOver = false

    init(_ session: Session, _ now: NIODeadline) { (self.session, used) = (session, now) }
  }

  private static let timeout = 30
  private let loop: EmbeddedEventLoop
  private let report: Report
  private var random: SeededRandom
  private let engine: SimulatedEngine
  private let store: SessionStore
  private let executor: LoopExecutor
  private let request: SessionRequest
  private let most: Int
  private var callers: [Holder] = []
  private var ended: [Holder] = []
  private var sweptAt = NIODeadline.uptimeNanoseconds(0)
  private var handOvers = 0
  private var pending = 0

  init(_ loop: EmbeddedEventLoop, _ report: Report, _ random: inout SeededRandom) throws {
    self.loop = loop
    self.report = report
    self.random = SeededRandom(seed: random.next())
    let engine = SimulatedEngine(loop, report, &random)
    self.engine = engine
    executor = LoopExecutor(loop)
    most = random.pick(1...20)
    request = try SessionRequest(decoding: ByteBuffer(string: "{\"kind\": \"track\"}"))
    let link = EngineLink(path: "", maxChecks: 1, loop: loop, tell: { _ in }, connect: { engine.connect() })
    let client = EngineClient(NIOLoopBoundBox(link, eventLoop: loop), on: loop)
    store = SessionStore(
      FaceCalls(engine: client), GatewayCounters(), try CredentialStore(try ServingOptions.parse([])),
      idleTimeout: Self.timeout, most: most)
    engine.drained = { [unowned self] in drain($1, $2) }
    engine.received = { [unowned self] in received($1, $2, $3) }
    engine.cancelled = { [unowned self] _, connection, number in
      self.engine.finish(number, of: connection, StreamEnd.responseFrame(stream: number))
    }
    link.watchEngine()
  }

  // MARK: In the engine

  private func received(_ connection: SimulatedEngine.Connection, _ number: UInt32, _ body: [UInt8]?) {
    guard let body, let request = try? WatchCall.request(body.span) else { return }
    guard case .frame(let frame) = request else {
      let credit = UInt32(engine.limits.frameCredit)
      return engine.send(ControlFromEngine.credit(stream: number, frames: credit).frame, on: connection)
    }
    let time = random.span(from: .microseconds(100), to: .seconds(random.isLucky(oneIn: 9) ? 40 : 1))
    let fails = random.isLucky(oneIn: 10)
    connection.frameCounts[number, default: 0] += 1
    engine.later(.nanoseconds(time.nanoseconds), connection) { [unowned self] in
      guard connection.unanswered[number] != nil else { return }
      connection.frameCounts[number, default: 0] -= 1
      let failed = WatchCall.failedFrame(
        stream: number, frame.info, Status(.dataLoss, "of \(frame.info.number)"))
      let empty = FrameEvent(
        frame: frame.info,
        outcome: .faces(DetectionResult(imageSize: PixelSize(width: 1, height: 1), faces: [])))
      engine.send(
        fails ? failed : (try? WatchCall.responseFrame(stream: number, empty)) ?? failed, on: connection)
      if connection.lastServed != .max { drain(connection, number) }
    }
  }

  /// Ends a stream of an engine that stops, after the frames that it has received.
  private func drain(_ connection: SimulatedEngine.Connection, _ number: UInt32) {
    guard connection.frameCounts[number, default: 0] == 0 else { return }
    engine.finish(
      number, of: connection,
      FailedCall.responseFrame(stream: number, Status(.unavailable, "the engine is stopping")))
  }

  // MARK: What callers do

  func step() {
    let caller = callers.randomElement(using: &random)
    switch (random.pick(0...49), caller) {
    case (0..<5, _), (_, nil): open()
    case (5..<8, let caller?):
      caller.isOver = true
      callers.removeAll { $0 === caller }
      ended = ended.suffix(3) + [caller]
      run {
        try await self.store.end(caller.session.id)
      } then: {
        self.expect($0, nil)
      }
    case (8, let caller?):
      run {
        try await self.store.restart(caller.session.id)
      } then: {
        self.expect($0, .failedPrecondition)
      }
    case (9, _):
      handOvers += 1
      engine.handOver()
    case (10, _): if let caller = ended.randomElement(using: &random) { send(caller) }
    case (_, let caller?): send(caller)
    }
  }

  private func run(
    _ body: @escaping @Sendable () async throws -> Void, then: @escaping @Sendable ((any Error)?) -> Void
  ) {
    pending += 1
    Task(executorPreference: executor) {
      var failure: (any Error)?
      do { try await body() } catch { failure = error }
      self.pending -= 1
      then(failure)
    }
  }

  private static func code(_ error: (any Error)?) -> StatusCode? {
    (error as? CallFailure)?.status.code ?? (error as? Status)?.code
  }

  private func expect(_ error: (any Error)?, _ code: StatusCode?) {
    report.check(Self.code(error) == code, "a session's call gets \(error as Any)")
  }

  private func open() {
    do throws(Status) {
      let session = try store.open(request, Caller(certificateName: nil))
      report.check(callers.count < most, "there are more than \(most) sessions")
      callers.append(Holder(session, loop.now))
    } catch {
      report.check(
        callers.count == most && error.detail == .limit("sessions"),
        "no session although there is room: \(error)")
    }
  }

  private func send(_ caller: Holder) {
    let (isBusy, isOver, start, before) = (caller.isBusy, caller.isOver, loop.now, handOvers)
    if !isOver, !isBusy { (caller.isBusy, caller.used) = (true, loop.now) }
    run {
      _ = try await caller.session.frame(.file(ByteBuffer(string: "picture")), nil, timestamp: nil)
    } then: { error in
      let code = Self.code(error)
      if isOver || isBusy {
        let isRight = isOver ? code == .notFound : code == .aborted || caller.isOver && code == .notFound
        return self.report.check(isRight && self.loop.now == start, "a frame gets \(code as Any)")
      }
      (caller.isBusy, caller.used) = (false, self.loop.now)
      let isAllowed =
        switch code {
        case nil, .dataLoss?: true
        case .cancelled?, .notFound?: caller.isOver
        case .deadlineExceeded?: self.loop.now - start >= .seconds(30)
        // The next engine gets the frame once more. Take-overs before the frame was sent do not count.
        case .unavailable?: self.handOvers - before > 1
        default: false
        }
      self.report.check(isAllowed, "a frame fails: \(error as Any)")
      self.report.check(self.loop.now - start <= .seconds(61), "a frame takes \(self.loop.now - start)")
    }
  }

  // MARK: What they are promised

  func check() {
    if loop.now - sweptAt >= .seconds(1) {
      sweptAt = loop.now
      run {
        await self.store.endIdle()
      } then: { _ in
      }
      loop.run()
      callers.removeAll { caller in
        let isIdle = !caller.isBusy && loop.now - caller.used > .seconds(Int64(Self.timeout))
        if isIdle { caller.isOver = true }
        return isIdle
      }
    }
    report.check(store.count == callers.count, "there are \(store.count) sessions, not \(callers.count)")
  }

  func end() {
    for _ in 0..<200 { loop.advanceTime(by: .milliseconds(500)) }
    report.check(pending == 0, "\(pending) frames have no answer")
    loop.advanceTime(by: .seconds(31))
    check()
    report.check(store.count == 0, "\(store.count) sessions never end")
    loop.advanceTime(by: .seconds(1))
    for connection in engine.connections where connection.use != .probe {
      report.check(
        connection.unanswered.isEmpty,
        "the engine has \(connection.unanswered.count) streams of ended sessions")
    }
  }
}
