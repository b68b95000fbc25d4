import EngineLink
import FaceCore
import GatewayCoding
import NIOCore
import NIOEmbedded
import Wire

/// Calls and streams that go through the gateway's link to a made-up engine, each beside what its caller was promised.
final class LinkCallers: SimulatedPart {
  final class Call {
    let id: Int
    let start: NIODeadline
    let timeout: Int64
    /// Its place among all that wait for room, and whether it still does.
    var order: Int
    var isWaiting = true
    var sentAt = NIODeadline.distantFuture
    var connection: SimulatedEngine.Connection?
    /// What the engine answered.
    var answer: StatusCode?
    var isCancelled = false
    var isOver = false
    fileprivate var work: EngineCall?

    init(_ id: Int, _ start: NIODeadline, _ timeout: Int64) {
      (self.id, order, self.start, self.timeout) = (id, id, start, timeout)
    }

    var deadline: NIODeadline? { timeout > 0 ? start + .nanoseconds(timeout) : nil }
  }

  final class Stream: EngineStreamReceiver {
    let id: Int
    let isCheck: Bool
    unowned let owner: LinkCallers
    var order: Int
    var isWaiting = true
    var isOver = false
    var isCancelled = false
    var connection: SimulatedEngine.Connection?
    fileprivate var work: EngineStream?
    /// What was sent, and what was answered, without the start.
    var sentCount = -1
    var answeredCount = 0
    /// What the engine has received, answered and allowed.
    var arrivedCount = -1
    var engineAnsweredCount = 0
    var answer: StatusCode?
    /// Whether there were too many checks when it began.
    var isRefused = false
    /// Whether its client sends no more.
    var isFinished = false
    var hasArrivedEnd = false

    init(_ id: Int, isCheck: Bool, _ owner: LinkCallers) {
      (self.id, order, self.isCheck, self.owner) = (id, id, isCheck, owner)
    }

    func streamReceived(_ answer: ByteBuffer) {
      owner.report.check(!isOver, "stream \(id) has an answer after its end")
      answeredCount += 1
      let number = answer.getInteger(at: answer.readerIndex, as: UInt32.self).map { Int($0) }
      owner.report.check(
        number == answeredCount, "stream \(id) has answer \(number ?? 0) as its \(answeredCount). one")
      owner.report.check(answeredCount <= sentCount, "stream \(id) has more answers than frames")
      work?.delivered()
    }
    func finish() {
      isFinished = true
      work?.finish()
    }
    func streamSent(_ byteCount: Int) {}
    func streamHasRoom() {}
    func streamEnded(_ failure: CallFailure?) { owner.ended(self, failure) }
  }

  let loop: EmbeddedEventLoop
  let report: Report
  let engine: SimulatedEngine
  let link: EngineLink
  var random: SeededRandom
  private let mostChecks: Int
  /// Those without an end yet.
  var calls: [Int: Call] = [:]
  var streams: [Int: Stream] = [:]
  var begunIDs: Set<Int> = []
  var streamIDs: Set<Int> = []
  var answerCount = 0
  private var last = 0
  private var moved = 0

  init(_ loop: EmbeddedEventLoop, _ report: Report, _ random: inout SeededRandom) {
    self.loop = loop
    self.report = report
    let engine = SimulatedEngine(loop, report, &random)
    self.engine = engine
    self.random = SeededRandom(seed: random.next())
    mostChecks = random.pick(1...8)
    link = EngineLink(
      path: "", maxChecks: mostChecks, loop: loop, tell: { _ in }, connect: { engine.connect() })
    engine.sent = { [unowned self] in sent($0, $1, $2) }
    engine.begun = { [unowned self] in begun($0, $1, $2) }
    engine.calledOff = { [unowned self] in calledOff($0) }
    engine.received = { [unowned self] in received($0, $1, $2, $3) }
    engine.drained = { [unowned self] in drained($0, $1, $2) }
    engine.cancelled = { [unowned self] in cancelled($0, $1, $2) }
    link.watchEngine()
  }

  private static func message(_ number: Int) -> ByteBuffer { ByteBuffer(integer: UInt32(number)) }

  /// The order of what has to begin again, which comes before all that had no place yet.
  func nextOrder() -> Int {
    moved += 1
    return Int.min + moved
  }

  private func nextID() -> Int {
    last += 1
    return last
  }

  // MARK: What callers do

  func step() {
    switch random.pick(0...99) {
    case 0..<40: start()
    case 40: for _ in 0..<random.pick(1...700) { start() }
    case 41..<48: calls.values.filter { !$0.isCancelled }.min { $0.order < $1.order }.map { cancel($0) }
    case 48..<55: calls.values.max { $0.order < $1.order }.map { cancel($0) }
    case 55..<67: open()
    case 67..<95: for stream in streams.values.sorted(by: { $0.id < $1.id }) { use(stream) }
    default: disturb()
    }
  }

  private func disturb() {
    switch (engine.mood, random.pick(0...9)) {
    case (.serving, 0): engine.become(.hung)
    case (.serving, 1): engine.become(.deaf)
    case (.serving, 2): engine.become(.gone)
    case (.serving, 3...5): engine.handOver()
    case (.serving, 6): if let one = engine.connections.randomElement(using: &random) { engine.mute(one) }
    case (.serving, 7): if let one = engine.connections.randomElement(using: &random) { engine.lose(one) }
    case (.serving, _): break
    case (_, 0...4): engine.become(.serving)
    case (.hung, 5), (.deaf, 5): engine.become(.gone)
    default: break
    }
  }

  private func start() {
    let timeout =
      random.isLucky(oneIn: 3) ? 0 : random.span(from: .milliseconds(1), to: .seconds(60)).nanoseconds
    let call = Call(nextID(), loop.now, timeout)
    calls[call.id] = call
    let isFull = link.waitingCallCount >= 512
    var payload = ByteBuffer()
    payload.writeInteger(UInt64(call.id))
    let request = EngineRequest(.listModels, payload: EngineMessage(payload), timeout: timeout)
    let work = link.call(request) { [unowned self] in completed(call, $0, wasFull: isFull) }
    call.work = work
    report.check(call.isOver || !isFull, "more than 512 calls wait")
  }

  private func cancel(_ call: Call) {
    call.isCancelled = true
    call.work?.cancel()
    report.check(call.isOver || !call.isWaiting, "call \(call.id) waits on although it was cancelled")
  }

  private func open() {
    let isCheck = random.isLucky(oneIn: 3)
    let stream = Stream(nextID(), isCheck: isCheck, self)
    let isFull = isCheck && link.checkCount >= mostChecks
    streams[stream.id] = stream
    streamIDs.insert(stream.id)
    var payload = ByteBuffer()
    payload.writeInteger(UInt64(stream.id))
    let request = EngineRequest(isCheck ? .check : .watch, payload: EngineMessage(payload), kind: .messages)
    stream.isRefused = isFull
    stream.work = link.open(request, stream)
    report.check(!isFull || stream.isOver, "more than \(mostChecks) checks are open")
  }

  private func use(_ stream: Stream) {
    guard let work = stream.work, !stream.isOver, random.isLucky(oneIn: 2) else { return }
    switch random.pick(0...19) {
    case 0: stream.finish()
    case 1:
      (stream.isCancelled, stream.isOver) = (true, true)
      streams[stream.id] = nil
      work.cancel()
    default:
      while work.canSend, random.pick(0...3) > 0 {
        stream.sentCount += 1
        let unanswered = stream.sentCount - stream.answeredCount
        report.check(
          unanswered <= engine.limits.frameCredit, "stream \(stream.id) has \(unanswered) unanswered frames")
        work.send(EngineMessage(Self.message(stream.sentCount)))
      }
    }
  }
}
