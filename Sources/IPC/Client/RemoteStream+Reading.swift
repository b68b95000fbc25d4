import FaceCore
import Imaging
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
    /// Faces that left with a lost connection, for the next event, and their best pictures.
    var left: [UInt64] = []
    var leftPictures: [BestPicture] = []
    /// The best frame of a guided check whose picture is kept here.
    var best: BestFrame?
    /// The channel on which the stream continues when the stopping engine has answered its frames.
    var next: StreamChannel.Opened?
    /// The time at which closing stops waiting for the engine.
    var end: MonotonicTime?
  }

  func run(_ first: StreamChannel.Opened) {
    threads.withLock { threads in threads.reader = ThreadIdentity.current }
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
        resend(on: next)
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
      state.withLock { state in state.addCredit(more) }
      changed.wakeAll()
    case .success(.draining):
      state.withLock { state in state.drain() }
      progress.next = openNext()
      if progress.next == nil { state.withLock { state in state.stay() } }
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
    guard let frame = state.withLock({ state in state.running(answer.frame.number) }) else {
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
    if let best {
      event.best = best.withLock { best in
        if case .faces(let result) = event.outcome {
          best.update(result, of: frame.info) { () throws(Status) in try frame.imageInput() }
        }
        return best.take(event.left)
      }
    }
    if let placement = frame.placement, let refusal = channel.images.complete(placement) {
      // More specific than an error about a missing buffer. Later frames find another way.
      event.outcome = .failed(refusal)
    }
    state.withLock { state in state.settle(event) }
    changed.wakeAll()
    return nil
  }

  /// Sends the waiting frames that the engine has room for.
  private func sendWaiting(on channel: StreamChannel) {
    while let frame = state.withLock({ state in state.startWaiting() }) { send(frame, on: channel) }
  }

  private func deliverSettled(_ progress: inout Progress) {
    while var event = state.withLock({ state in state.popEvent() }) {
      event.left = progress.left + event.left
      event.best = progress.leftPictures + event.best
      (progress.left, progress.leftPictures) = ([], [])
      deliver(event)
    }
  }

  /// Releases what is kept of the attempts before a restart, once all of their frames are answered.
  private func forgetIfRestarted(_ channel: StreamChannel, _ progress: inout Progress) {
    guard let restarted = state.withLock({ state in state.takeForgotten() }) else { return }
    progress.best?.forget(before: restarted)
    channel.images.unregisterIdle(all: true)
    CurrentProcess.returnFreedMemory()
  }

  /// Handles the loss of the connection and of the frames on it.
  private func lose(_ channel: StreamChannel, _ reason: Status, _ progress: inout Progress) {
    state.withLock { state in state.lose(reason) }
    channel.socket.lose(reason)
    channel.images.pool?.close(reason)
    changed.wakeAll()
    let left = progress.ids.restart()
    progress.left += left
    if let best { progress.leftPictures += best.withLock { best in best.take(left) } }
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
  private func resend(on opened: StreamChannel.Opened) {
    let channel = opened.channel
    let token = CancellationToken(timeout: client.timeout)
    var moved: [ObjectIdentifier: Result<PreparedFrame, Status>] = [:]
    for frame in state.withLock({ $0.untaken }) {
      moved[ObjectIdentifier(frame)] = attempt { () throws(Status) in
        try frame.moved(to: channel.images, limit: client.maxMessageBytes, token)
      }
    }
    let running = state.withLock { state in
      state.move(credit: opened.credit) { frame in moved[ObjectIdentifier(frame)] ?? .success(frame) }
    }
    for frame in running { send(frame, on: channel) }
    // Some answers may be deliverable without the engine.
    wakeup.signal()
  }

  // MARK: Opening again

  /// Reopens the stream; returns `nil` if it was closed first.
  private func reopen() -> StreamChannel.Opened? {
    var backoff = Backoff()
    var random = SystemRandomNumberGenerator()
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
        state.withLock { state in state.note(status) }
        let pause = backoff.nextPause(afterRefusal: hasAnswered, &random)
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
    if let end = progress.end { return now < end ? nil : .streamClosed }
    guard let waiting = state.withLock({ state in state.settleWaitingOfClosed() }) else { return nil }
    for frame in waiting { if let placement = frame.placement { channel.images.release(placement) } }
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
}
