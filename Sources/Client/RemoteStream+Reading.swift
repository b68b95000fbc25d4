import FaceCore
import Posix
import Wire

/// What the stream's own thread does.
extension RemoteStream {
  /// Nanoseconds that one attempt to open the stream again may take.
  private static let openTimeout: Int64 = 5_000_000_000

  /// What only that thread knows.
  private struct Progress {
    var ids = TrackIDs()
    /// Faces that left with a lost connection, for the next event.
    var left: [UInt64] = []
    /// Of a guided check whose picture is kept here.
    var best: BestFrame?
    /// When closing gives up on the engine.
    var end: MonotonicTime?
  }

  func run(_ first: StreamChannel.Opened) {
    state.withLock { state in state.reader = ThreadIdentity.current }
    var progress = Progress()
    if keepsPicture, let check = options.check { progress.best = BestFrame(check) }
    var opened: StreamChannel.Opened? = first
    while var current = opened {
      let reason = read(&current, &progress)
      lose(current.channel, reason, &progress)
      opened = reopen()
    }
  }

  /// Reads and delivers until nothing more comes; why that is.
  private func read(_ opened: inout StreamChannel.Opened, _ progress: inout Progress) -> Status {
    let channel = opened.channel
    while true {
      if let reason = close(channel, &progress) { return reason }
      let outcome = attempt { () throws(Status) in
        let idle = channel.images.pool?.nextReturn ?? .never
        return try opened.reader.read(
          channel.link.socket, or: wakeup, until: min(progress.end ?? .never, idle))
      }
      switch outcome {
      case .success(.frames(let frames)):
        for frame in frames {
          if let reason = take(frame, channel, &progress) {
            deliverSettled(&progress)
            return reason
          }
        }
        sendWaiting(on: channel)
      case .success(.nothing):
        channel.images.returnIdle()
        sendWaiting(on: channel)
      case .success(.ended):
        return channel.link.fail(
          Status(.unavailable, "the engine at \(path) closed the stream's connection; the stream opens again")
        )
      case .failure(let status): return status
      }
      deliverSettled(&progress)
    }
  }

  /// What one frame from the engine says; the reason when it is the last.
  private func take(_ frame: Frame, _ channel: StreamChannel, _ progress: inout Progress) -> Status? {
    switch attempt({ () throws(Status) in try channel.word(frame) }) {
    case .success(.answer(let answer)): return settle(answer, channel, &progress)
    case .success(.credit(let more)):
      state.withLock { state in state.credit = state.credit.map { $0 + more } }
      changed.wakeAll()
    case .success(.draining):
      state.withLock { state in
        state.channel = nil
        state.lost = Status(.unavailable, "the engine is stopping; the stream opens again when it runs")
      }
      changed.wakeAll()
    case .success(.end(let failure)):
      return failure ?? Status(.unavailable, "the engine ended the stream; it opens again")
    case .success(.pong), .success(nil): break
    case .failure(let status): return status
    }
    return nil
  }

  /// The reason to go on no longer, for an answer to no frame.
  private func settle(
    _ answer: WatchResponse, _ channel: StreamChannel, _ progress: inout Progress
  ) -> Status? {
    var left = answer.left
    var outcome: FrameEvent.Outcome
    switch answer.outcome {
    case .result(let result):
      let (own, gone) = progress.ids.translate(result, left: left)
      outcome = .faces(own)
      left = gone
    case .dropped(let total):
      outcome = .dropped(total: total)
      left = progress.ids.translate(left: left)
    case .failure(let status):
      outcome = .failed(status)
      left = progress.ids.translate(left: left)
    }
    guard let frame = state.withLock({ state in state.ledger.sentFrame(answer.tag.id) }) else {
      return Status(.dataLoss, "the engine answered a frame that was not sent; see that it is a FaceEngine")
    }
    // Before the frame's memory is given back.
    let check = progress.ids.translate(answer.check).map { report in
      progress.best?.complete(report) { () throws(Status) in try frame.imageInput() } ?? report
    }
    if let placement = frame.placement, let refusal = channel.images.settle(placement) {
      // More to the point than that there is no such buffer. Later frames find another way.
      outcome = .failed(refusal)
    }
    _ = state.withLock { state in
      if case .dropped = outcome { outcome = .dropped(total: state.ledger.countDropped()) }
      return state.ledger.settle(answer.tag.id, outcome, left: left, check: check)
    }
    changed.wakeAll()
    return nil
  }

  /// In mode `newest`: the engine has room for the frame that waits.
  private func sendWaiting(on channel: StreamChannel) {
    let frame = state.withLock { state in
      state.ledger.sent == 0 ? state.ledger.sendWaiting() : nil
    }
    if let frame { send(frame, on: channel) }
  }

  private func deliverSettled(_ progress: inout Progress) {
    for var event in state.withLock({ state in state.ledger.popSettled() }) {
      event.left = progress.left + event.left
      progress.left = []
      deliver(event)
    }
  }

  /// The connection is gone, and what was on it.
  private func lose(_ channel: StreamChannel, _ reason: Status, _ progress: inout Progress) {
    _ = state.withLock { state in
      state.channel = nil
      state.lost = reason
      return state.ledger.failAll(state.isClosing ? Self.closed : reason)
    }
    channel.link.lose(reason)
    channel.images.pool?.end(reason)
    changed.wakeAll()
    progress.left += progress.ids.restart()
    progress.best?.forget()
    deliverSettled(&progress)
  }

  // MARK: Opening again

  /// `nil` when the stream was closed first.
  private func reopen() -> StreamChannel.Opened? {
    var backoff = Backoff()
    while !state.withLock({ state in state.isClosing }) {
      let token = CancellationToken(timeout: Self.openTimeout)
      let outcome = attempt { () throws(Status) in
        try StreamChannel.open(path, startMessage, shares, or: wakeup, token)
      }
      switch outcome {
      case .success(let opened):
        begin(opened)
        return opened
      case .failure(let status):
        state.withLock { state in state.lost = status }
        let end = MonotonicTime.now().advanced(byNanoseconds: backoff.pause())
        _ = state.wait(for: changed, until: end) { state -> Bool? in state.isClosing ? true : nil }
      }
    }
    return nil
  }

  // MARK: Closing

  /// When the stream is closing, says so to the engine, once; the reason when there is nothing more to wait for.
  private func close(_ channel: StreamChannel, _ progress: inout Progress) -> Status? {
    let now = MonotonicTime.now()
    if let end = progress.end { return now < end ? nil : Self.closed }
    let (isClosing, waiting) = state.withLock { state in
      (state.isClosing, state.isClosing ? state.ledger.failWaiting(Self.closed) : nil)
    }
    guard isClosing else { return nil }
    if let placement = waiting?.placement { channel.images.giveBack(placement) }
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

  private static let closed = Status(.cancelled, "the stream was closed before the frame was begun")
}

/// Keeps the ids of faces unique over the connections of one stream: each new tracker in the engine begins at 1 again, and
/// is given the ids after those that were used.
struct TrackIDs: Sendable {
  private var offset: UInt64 = 0
  private var highest: UInt64 = 0
  private var inView: Set<UInt64> = []

  /// The same with the ids of this stream.
  mutating func translate(_ result: DetectionResult, left: [UInt64]) -> (DetectionResult, left: [UInt64]) {
    var result = result
    for index in result.faces.indices {
      guard let id = result.faces[index].track?.id else { continue }
      let own = translate(id)
      result.faces[index].track?.id = own
      inView.insert(own)
    }
    return (result, translate(left: left))
  }

  /// The result of a guided check has its face once more.
  mutating func translate(_ report: CheckReport?) -> CheckReport? {
    guard var report else { return nil }
    for (index, event) in report.events.enumerated() {
      guard case .result(var result) = event, let id = result.face.track?.id else { continue }
      result.face.track?.id = translate(id)
      report.events[index] = .result(result)
    }
    return report
  }

  mutating func translate(left: [UInt64]) -> [UInt64] {
    left.map { id in
      let own = translate(id)
      inView.remove(own)
      return own
    }
  }

  private mutating func translate(_ id: UInt64) -> UInt64 {
    // An engine that gives such numbers has given up on ids; a trap would be worse.
    let own = id &+ offset
    highest = max(highest, own)
    return own
  }

  /// The tracker is gone: ids of the faces that were in view with it, in ascending order.
  mutating func restart() -> [UInt64] {
    offset = highest
    defer { inView = [] }
    return inView.sorted()
  }
}
