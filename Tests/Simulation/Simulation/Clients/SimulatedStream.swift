import Client
import FaceCore
import Wire

/// A frame without a picture.
final class SimulatedFrame: StreamedFrame {
  let info: FrameInfo
  init(_ info: FrameInfo) { self.info = info }
  func adoptFollowed(of dropped: SimulatedFrame) {}
}

/// A connection of a stream: messages arrive late, in the order in which they were sent.
final class StreamLink {
  enum Message {
    case frame(UInt64), close
    case answer(UInt64, face: UInt64, left: UInt64), credit(Int), goAway, end, lost
  }

  private let simulation: ClientSimulation
  private let engine: StandInEngine
  let stream: SimulatedStream
  private var arrivals = (engine: MonotonicTime(nanoseconds: 0), client: MonotonicTime(nanoseconds: 0))
  /// The frames that the engine has, and how many it takes.
  private var frames: [UInt64] = []
  var credit: Int
  private var isStopping = false
  private var isClosedByClient = false
  private var hasEnded = false
  private var faces: (next: UInt64, inView: [UInt64]) = (1, [])

  init(_ simulation: ClientSimulation, _ engine: StandInEngine, _ stream: SimulatedStream) {
    (self.simulation, self.engine, self.stream) = (simulation, engine, stream)
    credit = stream.isEveryFrame ? engine.credit : 1
  }

  func send(_ message: Message) {
    arrivals.engine = max(arrivals.engine, simulation.now + simulation.delay())
    simulation.add(.message(self, message, toEngine: true), after: arrivals.engine - simulation.now)
  }

  private func answer(_ message: Message) {
    if hasEnded { return }
    arrivals.client = max(arrivals.client, simulation.now + simulation.delay())
    simulation.add(.message(self, message, toEngine: false), after: arrivals.client - simulation.now)
  }

  func receive(_ message: Message) throws(Finding) {
    switch message {
    case .frame(let number):
      if isStopping || hasEnded { return }
      guard frames.count < credit else {
        throw simulation.fail("frame \(number) is sent without room for it")
      }
      if let fault = stream.take(number) { throw simulation.fail(fault) }
      frames.append(number)
      simulation.add(.frame(self), after: simulation.random.span(from: .microseconds(5), to: engine.pace))
    case .close: isClosedByClient = true
    default: break
    }
    endIfDone()
  }

  /// A frame is done.
  func work() {
    guard !frames.isEmpty, !hasEnded else { return }
    // A face comes, and one goes.
    var left: UInt64 = 0
    if simulation.random.isLucky(oneIn: 3), !faces.inView.isEmpty { left = faces.inView.removeFirst() }
    if simulation.random.isLucky(oneIn: 3) {
      faces.inView.append(faces.next)
      faces.next += 1
    }
    answer(.answer(frames.removeFirst(), face: faces.inView.last ?? 0, left: left))
    if stream.isEveryFrame, simulation.random.isLucky(oneIn: 20) {
      credit += 1
      answer(.credit(1))
    }
    endIfDone()
  }

  func stop() {
    guard engine.features.contains(.goaway) else { return }
    isStopping = true
    answer(.goAway)
    // Not all that it has are searched.
    frames.removeLast(simulation.random.pick(0...frames.count))
    endIfDone()
  }

  private func endIfDone() {
    guard isStopping || isClosedByClient, frames.isEmpty else { return }
    answer(.end)
    hasEnded = true
  }

  /// The client closes it.
  func close() { hasEnded = true }

  func die() {
    answer(.lost)
    hasEnded = true
  }
}

/// A stream, as `RemoteStream` has it, and what its listener was told: each frame once, in order.
final class SimulatedStream {
  /// What an attempt to open the stream is for.
  enum Purpose { case first, next, again }

  private unowned let simulation: ClientSimulation
  let isEveryFrame: Bool
  private let timeout: TimeSpan
  private var flow = FrameFlow<StreamLink, SimulatedFrame>(attempt: 0)
  private var ids = TrackIDs()
  private var isCancelled = false
  private(set) var isOver = false
  private var current: StreamLink?
  private var next: StreamLink?
  /// What has come while the thread that reads opens the next connection.
  private var pending: [StreamLink.Message] = []
  private var isOpening = true
  private var hasSaidEnd = false
  private var isAdding = false
  // What the listener knows.
  private var accepted: UInt64 = 0
  private var delivered: UInt64 = 0
  private var settled: Set<UInt64> = []
  private var dropped: UInt64 = 0
  private var inView: Set<UInt64> = []
  private var lastID: UInt64 = 0
  private var credit = 0
  /// The frames that the engine has, or that are on their way to it, and whether they may fail.
  private var sent: Set<UInt64> = []
  private var mayFail = false
  private var leaving: Set<UInt64> = []

  init(_ simulation: ClientSimulation) {
    self.simulation = simulation
    isEveryFrame = simulation.random.isLucky(oneIn: 2)
    timeout = simulation.random.span(from: .milliseconds(1), to: .seconds(2))
    simulation.add(.opening(self, .first), after: simulation.delay())
    simulation.add(.submit(self), after: simulation.delay())
  }

  private var closing: Status {
    isCancelled ? Canceller.status : Status(.failedPrecondition, "it was closed")
  }
  /// The frames without an answer.
  private var open: Int { Int(accepted) - Int(delivered) - settled.count }

  // MARK: Opening

  func opened(_ purpose: Purpose) throws(Finding) {
    isOpening = false
    let link = simulation.openLink(of: self)
    switch (purpose, link) {
    case (.next, let link?): next = link
    case (.next, nil): flow.stay()
    case (_, nil):
      flow.note(Status(.unavailable, "no engine listens"))
      if flow.isClosing { return try over() }
      isOpening = true
      simulation.add(
        .opening(self, .again), after: simulation.random.span(from: .milliseconds(1), to: .milliseconds(50)))
    case (_, let link?):
      use(link)
    }
    try handlePending()
  }

  private func use(_ link: StreamLink) {
    flow.use(link, credit: isEveryFrame ? link.credit : nil)
    (current, credit) = (link, link.credit)
  }

  private func handlePending() throws(Finding) {
    while !isOpening, !pending.isEmpty, current != nil { try handle(pending.removeFirst()) }
    try closeIfWanted()
  }

  private func over() throws(Finding) {
    try deliver()
    if delivered != accepted { throw simulation.fail("\(accepted - delivered) frames have no event") }
    (isOver, current) = (true, nil)
  }

  // MARK: Submitting

  func submit() throws(Finding) {
    if isOver { return }
    simulation.add(
      .submit(self), after: simulation.random.span(from: .microseconds(5), to: simulation.traits.pause))
    if simulation.isEnding || simulation.random.isLucky(oneIn: 100) { return try close() }
    // The thread that reads wakes at any time.
    if current != nil, !isOpening { sendWaiting() }
    if isAdding { return }
    let room = Result { () throws(Status) in try flow.room(forReader: false, closing: closing) }
    switch room {
    case .success(let link?):
      if isEveryFrame, open >= credit { throw simulation.fail("a frame may be sent without credit") }
      // It takes a while to copy the picture.
      let info = flow.nextInfo(timestamp: 0)
      isAdding = true
      simulation.add(
        .adding(self, info, link),
        after: simulation.random.span(from: .nanoseconds(1), to: .microseconds(900)))
    case .success(nil):
      if flow.channel == nil { return flow.isMoving ? () : try wrong("a frame waits for no engine") }
      if !isEveryFrame || open < credit { try wrong("a frame waits for room, and there is some") }
    case .failure(let reason):
      if reason.code == .unavailable, next != nil || flow.channel != nil || flow.isMoving {
        try wrong("a frame is refused in a take-over")
      }
    }
  }

  private func wrong(_ text: String) throws(Finding) { throw simulation.fail(text) }

  func add(_ info: FrameInfo, on link: StreamLink) throws(Finding) {
    isAdding = false
    if isOver { return }
    if info.number != accepted + 1 { try wrong("frame \(info.number) comes after \(accepted)") }
    let lacksMemory = simulation.random.isLucky(oneIn: 5)
    if lacksMemory { _ = flow.makeRoom() }
    do throws(Status) {
      if lacksMemory, !isEveryFrame, simulation.random.isLucky(oneIn: 2) {
        try flow.addWithoutMemory(
          info, on: link, closing: closing, Status(.resourceExhausted, "there is no memory"))
      } else if try flow.add(SimulatedFrame(info), on: link, closing: closing).isSent {
        transmit(info.number, on: link)
      }
      accepted += 1
      if hasSaidEnd || flow.channel !== link {
        simulation.check("a frame goes to a connection that was lost")
      }
    } catch {
      let isRetried = try? flow.mayRetry(after: link, closing: closing)
      if isRetried == false, next != nil { try wrong("a frame is refused in a take-over") }
    }
    try deliver()
  }

  private func transmit(_ number: UInt64, on link: StreamLink) {
    sent.insert(number)
    link.send(.frame(number))
  }

  /// An engine has received a frame.
  func take(_ number: UInt64) -> String? {
    number <= delivered || settled.contains(number) ? "frame \(number) is sent again after its answer" : nil
  }

  // MARK: Reading

  func receive(_ message: StreamLink.Message, on link: StreamLink) throws(Finding) {
    guard link === current, !isOver else { return }
    pending.append(message)
    try handlePending()
  }

  private func handle(_ message: StreamLink.Message) throws(Finding) {
    switch message {
    case .answer(let number, let face, let left):
      guard let frame = flow.running(number) else { throw simulation.fail("frame \(number) is unknown") }
      settled.insert(number)
      sent.remove(number)
      flow.settle(event(frame.info, face: face, left: left))
    case .credit(let more):
      flow.addCredit(more)
      credit += more
    case .goAway:
      flow.drain()
      isOpening = true
      return simulation.add(
        .opening(self, .next), after: simulation.random.span(from: .microseconds(5), to: .milliseconds(9)))
    case .end, .lost: return try lose(flow.isClosing ? .streamClosed : ClientEnd.ended)
    case .frame, .close: break
    }
    sendWaiting()
    try deliver()
    if flow.channel != nil, open > 0, sent.isEmpty, !flow.isClosing {
      throw simulation.fail("a frame waits, and the engine has none")
    }
  }

  private func sendWaiting() {
    guard let current else { return }
    while let frame = flow.startWaiting() { transmit(frame.info.number, on: current) }
  }

  private func event(_ info: FrameInfo, face id: UInt64, left: UInt64) -> FrameEvent {
    var result = DetectionResult(imageSize: PixelSize(width: 1, height: 1), faces: [])
    if id > 0 {
      var face = Face(box: Box(x: 0, y: 0, width: 1, height: 1), confidence: 1, points: nil)
      face.track = Track(id: id, frameCount: 1)
      result.faces = [face]
    }
    var event = FrameEvent(frame: info, outcome: .faces(ids.translate(result)))
    event.left = ids.translate(left: left > 0 ? [left] : [])
    return event
  }

  private func deliver(left: [UInt64] = []) throws(Finding) {
    var left = left
    while var event = flow.popEvent() {
      event.left = left + event.left
      left = []
      if let fault = fault(event) { throw simulation.fail(fault) }
    }
    leftLater += left
  }

  private var leftLater: [UInt64] = []

  /// What is wrong with an event.
  private func fault(_ event: FrameEvent) -> String? {
    let all = leftLater + event.left
    leftLater = []
    delivered += 1
    settled.remove(event.frame.number)
    sent.remove(event.frame.number)
    guard event.frame.number == delivered else { return "event \(event.frame.number), not \(delivered)" }
    guard leaving.isSubset(of: all) else { return "faces of a lost engine do not leave" }
    leaving = []
    for id in all where inView.remove(id) == nil { return "face \(id) leaves, and was not there" }
    switch event.outcome {
    case .faces(let result):
      for id in result.faces.compactMap(\.track?.id) where inView.insert(id).inserted {
        if id <= lastID { return "face \(id) comes again" }
        lastID = id
      }
    case .dropped(let total):
      dropped += 1
      if isEveryFrame || total != dropped { return "frame \(delivered) is dropped as number \(total)" }
    case .failed(let status):
      let isMeant =
        switch status.code {
        case .cancelled: flow.isClosing
        case .unavailable: mayFail
        case .resourceExhausted: !isEveryFrame
        default: false
        }
      if !isMeant { return "a frame fails: \(status)" }
    }
    return nil
  }

  private func lose(_ reason: Status) throws(Finding) {
    try deliver()
    // Frames go to the next engine if there is one.
    mayFail = next == nil || flow.isClosing
    flow.lose(reason)
    current?.close()
    (current, pending, sent) = (nil, [], [])
    let left = ids.restart()
    leaving = inView
    try deliver(left: left)
    defer { next = nil }
    if let next, flow.isMoving {
      let frames = flow.move(credit: isEveryFrame ? next.credit : nil) { .success($0) }
      for frame in frames { transmit(frame.info.number, on: next) }
      use(next)
    } else if flow.isClosing {
      try over()
    } else {
      isOpening = true
      simulation.add(
        .opening(self, .again), after: simulation.random.span(from: .microseconds(5), to: .milliseconds(50)))
    }
  }

  // MARK: Closing

  private func close() throws(Finding) {
    guard !flow.isClosing else { return }
    isCancelled = simulation.random.isLucky(oneIn: 3)
    flow.close()
    try closeIfWanted()
  }

  private func closeIfWanted() throws(Finding) {
    guard flow.isClosing, !hasSaidEnd, !isOpening, !isOver, let current else { return }
    if isCancelled { return try lose(Canceller.status) }
    guard flow.settleWaitingOfClosed() != nil else { throw simulation.fail("a closed stream does not end") }
    hasSaidEnd = true
    try deliver()
    current.send(.close)
    simulation.add(.closing(self), after: timeout)
  }

  /// Closing waits no longer for the engine.
  func endClosing() throws(Finding) {
    if !isOver, current != nil { try lose(.streamClosed) }
  }
}
