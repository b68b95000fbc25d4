import FaceCore
import Posix
import Wire

/// The stream's thread: it reads what the engine sends, delivers the events, and reopens the stream.
extension RemoteStream {
  /// The time limit for one attempt to reopen the stream.
  private static let openTimeout: TimeSpan = .seconds(5)
  /// The same while the engine stops and another one may already have its place: answers wait meanwhile.
  private static let moveTimeout: TimeSpan = .seconds(1)

  /// The state of the stream's thread.
  private struct Progress {
    var ids = TrackIDs()
    /// Faces that left with a lost connection, for the next event.
    var left: [UInt64] = []
    /// The best frame of a guided check whose picture is kept here.
    var best: BestFrame?
    /// The channel on which the stream continues when the stopping engine has answered its frames.
    var next: StreamChannel.Opened?
    /// The time at which closing stops waiting for the engine.
    var end: MonotonicTime?
  }

  func run(_ first: StreamChannel.Opened) {
    state.withLock { state in state.reader = ThreadIdentity.current }
    guard let canceller = options.canceller else { return readChannels(first) }
    canceller.withHandler({ self.giveUp() }) { readChannels(first) }
  }

  /// Reads from one channel after the other, until the stream is closed.
  private func readChannels(_ first: StreamChannel.Opened) {
    var progress = Progress()
    if keepsPicture, let check = options.check { progress.best = BestFrame(check) }
    var opened: StreamChannel.Opened? = first
    while var current = opened {
      let reason = read(&current, &progress)
      lose(current.channel, reason, &progress)
      if let next = progress.next.take(), state.withLock({ $0.isMoving }) {
        resend(on: next.channel)
        use(next)
        opened = next
      } else {
        opened = reopen()
      }
    }
  }

  /// Reads and delivers until nothing more comes.
  /// - Returns: the reason for the end.
  private func read(_ opened: inout StreamChannel.Opened, _ progress: inout Progress) -> Status {
    let channel = opened.channel
    while true {
      if let reason = closeIfWanted(channel, &progress) { return reason }
      forgetIfRestarted(channel, &progress)
      let outcome = attempt { () throws(Status) in
        let idle = channel.images.pool?.nextIdleEnd ?? .never
        return try opened.reader.read(
          channel.socket.unixSocket, or: wakeup, until: min(progress.end ?? .never, idle))
      }
      switch outcome {
      case .success(.frames(let frames)):
        for frame in frames {
          if let reason = handle(frame, channel, &progress) {
            deliverSettled(&progress)
            return reason
          }
        }
        sendWaiting(on: channel)
      case .success(.nothing):
        channel.images.unregisterIdle()
        sendWaiting(on: channel)
      case .success(.ended):
        return channel.socket.fail(
          Status(
            .unavailable,
            "the engine at \(address.path) closed the stream's connection; the stream opens again")
        )
      case .failure(let status): return status
      }
      deliverSettled(&progress)
    }
  }

  /// Handles one frame from the engine.
  /// - Returns: the reason if it is the last one.
  private func handle(_ frame: Frame, _ channel: StreamChannel, _ progress: inout Progress) -> Status? {
    switch attempt({ () throws(Status) in try channel.message(in: frame) }) {
    case .success(.event(let event)): return settle(event, channel, &progress)
    case .success(.credit(let more)):
      state.withLock { state in state.credit = state.credit.map { $0 + more } }
      changed.wakeAll()
    case .success(.draining):
      state.withLock { state in
        state.channel = nil
        state.isMoving = !state.isClosing
        state.lost = Status(.unavailable, "the engine is stopping; the stream opens again when it runs")
      }
      progress.next = openNext()
      if progress.next == nil { state.withLock { $0.isMoving = false } }
      changed.wakeAll()
    case .success(.end(let failure)):
      return failure ?? Status(.unavailable, "the engine ended the stream; it opens again")
    case .success(.pong), .success(nil): break
    case .failure(let status): return status
    }
    return nil
  }

  /// Settles a frame that the engine has answered.
  /// - Returns: the reason to end the connection, if the frame had not been sent.
  private func settle(
    _ answer: FrameEvent, _ channel: StreamChannel, _ progress: inout Progress
  ) -> Status? {
    let isAnswered: (PreparedFrame) -> Bool = { $0.info.number == answer.frame.number }
    guard let frame = state.withLock({ state in state.frames.running(where: isAnswered) }) else {
      return Status(.dataLoss, "the engine answered a frame that was not sent; check that it is a FaceEngine")
    }
    var event = FrameEvent(frame: frame.info, outcome: answer.outcome)
    if case .faces(let result) = answer.outcome {
      event.outcome = .faces(progress.ids.translate(result))
    }
    event.left = progress.ids.translate(left: answer.left)
    // Before the frame's memory is released.
    event.check = progress.ids.translate(answer.check).map { report in
      progress.best?.complete(report) { () throws(Status) in try frame.imageInput() } ?? report
    }
    if let placement = frame.placement, let refusal = channel.images.complete(placement) {
      // More specific than an error about a missing buffer. Later frames find another way.
      event.outcome = .failed(refusal)
    }
    _ = state.withLock { state in
      // Frames dropped by the engine are counted together with those dropped here.
      if case .dropped = event.outcome { event.outcome = .dropped(total: state.frames.countDropped()) }
      return state.frames.settle(event, where: isAnswered)
    }
    changed.wakeAll()
    return nil
  }

  /// In mode `newest`, sends the waiting frame: the engine has room for it.
  private func sendWaiting(on channel: StreamChannel) {
    let frame = state.withLock { state in state.frames.runningCount == 0 ? state.frames.start() : nil }
    if let frame { send(frame, on: channel) }
  }

  private func deliverSettled(_ progress: inout Progress) {
    let next = { (state: inout State) -> FrameEvent? in
      guard var event = state.frames.popSettled() else { return nil }
      if event.frame.attempt != state.attempt { event.check = nil }
      return event
    }
    while var event = state.withLock({ state in next(&state) }) {
      event.left = progress.left + event.left
      progress.left = []
      deliver(event)
    }
  }

  /// Releases what is kept of the attempts before a restart, once all of their frames are answered.
  private func forgetIfRestarted(_ channel: StreamChannel, _ progress: inout Progress) {
    let restarted = state.withLock { state -> UInt32? in
      guard state.mustForget, state.frames.unsettled.allSatisfy({ $0.info.attempt == state.attempt }) else {
        return nil
      }
      state.mustForget = false
      return state.attempt
    }
    guard let restarted else { return }
    progress.best?.forget(before: restarted)
    channel.images.unregisterIdle(all: true)
    CurrentProcess.returnFreedMemory()
  }

  /// Handles the loss of the connection and of the frames on it.
  private func lose(_ channel: StreamChannel, _ reason: Status, _ progress: inout Progress) {
    _ = state.withLock { state in
      state.channel = nil
      state.lost = reason
      if state.isClosing { state.isMoving = false }
      // Frames that the engine has not taken go to the next engine.
      guard !state.isMoving else { return [PreparedFrame]() }
      let status = state.isClosing ? Self.closed : reason
      return state.frames.settleAll { frame in FrameEvent(frame: frame.info, outcome: .failed(status)) }
    }
    channel.socket.lose(reason)
    channel.images.pool?.close(reason)
    changed.wakeAll()
    progress.left += progress.ids.restart()
    progress.best?.removePicture()
    deliverSettled(&progress)
  }

  // MARK: Moving to the engine that takes over

  /// Opens the stream at the engine that has the socket now; returns `nil` if there is none.
  private func openNext() -> StreamChannel.Opened? {
    // Several attempts, since waking this thread interrupts an attempt.
    for _ in 0..<3 where state.withLock({ $0.isMoving && !$0.isClosing }) {
      let token = CancellationToken(timeout: Self.moveTimeout, canceller: options.canceller)
      guard let socket = try? FramedSocket(address, token) else { return nil }
      if let opened = try? StreamChannel.open(on: socket, startMessage, shares, or: wakeup, token) {
        return opened
      }
    }
    return nil
  }

  /// Sends the frames that the previous engine has not taken, in their order.
  private func resend(on channel: StreamChannel) {
    let token = CancellationToken(timeout: client.timeout)
    var moved: [ObjectIdentifier: Result<PreparedFrame, Status>] = [:]
    for frame in state.withLock({ $0.frames.unsettled }) {
      moved[ObjectIdentifier(frame)] = attempt { () throws(Status) in
        try frame.moved(to: channel.images, limit: client.maxMessageBytes, token)
      }
    }
    let running = state.withLock { state in
      state.frames.replaceUnsettled { frame in
        switch moved[ObjectIdentifier(frame)] {
        case .success(let frame): .frame(frame)
        case .failure(let status): .answer(FrameEvent(frame: frame.info, outcome: .failed(status)))
        case nil: .frame(frame)
        }
      }
      return state.frames.running
    }
    for frame in running { send(frame, on: channel) }
    // Some answers may be deliverable without the engine.
    wakeup.signal()
  }

  // MARK: Opening again

  /// Reopens the stream; returns `nil` if it was closed first.
  private func reopen() -> StreamChannel.Opened? {
    var backoff = Backoff()
    while !state.withLock({ state in state.isClosing }) {
      let token = CancellationToken(timeout: Self.openTimeout, canceller: options.canceller)
      var hasAnswered = false
      let outcome = attempt { () throws(Status) in
        let socket = try FramedSocket(address, token)
        hasAnswered = true
        return try StreamChannel.open(on: socket, startMessage, shares, or: wakeup, token)
      }
      switch outcome {
      case .success(let opened):
        use(opened)
        return opened
      case .failure(let status):
        state.withLock { state in state.lost = status }
        let pause = backoff.nextPause(afterRefusal: hasAnswered)
        let end = MonotonicTime.now() + pause
        _ = state.wait(for: changed, until: end) { state -> Bool? in state.isClosing ? true : nil }
      }
    }
    return nil
  }

  // MARK: Closing

  /// Sends the stream's end once when the stream is closing.
  /// - Returns: the reason if there is nothing more to wait for.
  private func closeIfWanted(_ channel: StreamChannel, _ progress: inout Progress) -> Status? {
    if options.canceller?.isCancelled == true { return Canceller.status }
    let now = MonotonicTime.now()
    if let end = progress.end { return now < end ? nil : Self.closed }
    let (isClosing, waiting) = state.withLock { state in
      let closed =
        state.isClosing
        ? state.frames.settleWaiting { FrameEvent(frame: $0.info, outcome: .failed(Self.closed)) } : nil
      return (state.isClosing, closed)
    }
    guard isClosing else { return nil }
    if let placement = waiting?.placement { channel.images.release(placement) }
    deliverSettled(&progress)
    let token = CancellationToken(timeout: client.timeout)
    progress.end = token.deadline
    do throws(Status) {
      try channel.send(StreamEnd.dataFrame(stream: StreamChannel.stream), token)
      return nil
    } catch {
      return error
    }
  }

  private static let closed = Status(.cancelled, "the stream was closed before the frame was searched")
}

/// Keeps the ids of faces unique across the connections of one stream. Each new tracker in the engine starts
/// at 1, so its ids are shifted past those already used.
struct TrackIDs: Sendable {
  private var offset: UInt64 = 0
  private var highest: UInt64 = 0
  private var inView: Set<UInt64> = []

  /// Returns the result with the ids of this stream.
  mutating func translate(_ result: DetectionResult) -> DetectionResult {
    var result = result
    for index in result.faces.indices {
      guard let id = result.faces[index].track?.id else { continue }
      let own = translate(id)
      result.faces[index].track?.id = own
      inView.insert(own)
    }
    return result
  }

  /// Returns the report with the ids of this stream: the result of a guided check contains its face, too.
  mutating func translate(_ report: CheckReport?) -> CheckReport? {
    guard var report else { return nil }
    for (index, event) in report.events.enumerated() {
      guard case .result(var result) = event, let id = result.face.track?.id else { continue }
      result.face.track?.id = translate(id)
      report.events[index] = .result(result)
    }
    return report
  }

  /// Returns this stream's ids of the faces that have left.
  mutating func translate(left: [UInt64]) -> [UInt64] {
    left.map { id in
      let own = translate(id)
      inView.remove(own)
      return own
    }
  }

  private mutating func translate(_ id: UInt64) -> UInt64 {
    // Assigned here and not by the engine.
    if id >= FollowedFace.firstID { return id }
    // An overflow is the engine's fault; a trap would be worse.
    let own = id &+ offset
    highest = max(highest, own)
    return own
  }

  /// Starts again with a new tracker in the engine.
  /// - Returns: the ids of the faces that were in view, in ascending order.
  mutating func restart() -> [UInt64] {
    offset = highest
    defer { inView = [] }
    return inView.sorted()
  }
}
