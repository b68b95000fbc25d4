package import FaceCore

/// A frame of a stream that has no answer yet.
package protocol StreamedFrame: AnyObject {
  var info: FrameInfo { get }
  /// Takes over the followed faces of the frame that this one replaces.
  func adoptFollowed(of dropped: Self)
}

/// Decides about the frames of one stream, without thread, clock and socket: which frame is sent when, to which
/// engine, and which event it has if its engine stops or is lost.
///
/// Running frames are with the engine: in mode `newest` at most one, and one more waits; in mode `every` as many
/// as there is credit for.
package struct FrameFlow<Channel: AnyObject, Frame: StreamedFrame> {
  /// The channel; `nil` while there is none, or if the engine takes no more frames on it.
  package private(set) var channel: Channel?
  /// Why there is no channel.
  private var lost = Status(.unavailable, "the stream is not open yet")
  /// Whether the engine takes no more frames, and the next channel is about to be used.
  package private(set) var isMoving = false
  /// The number of frames that may be unanswered; `nil` for mode `newest`, which allows one.
  private var credit: Int?
  private var frames = InOrderFrames<Frame, FrameEvent>()
  private var lastNumber: UInt64 = 0
  /// The attempt of `FrameInfo`.
  private var attempt: UInt32
  /// Whether something of earlier attempts may be kept.
  private var mustForget = false
  package var followed = WaitingFollowedFaces()
  package private(set) var isClosing = false

  package init(attempt: UInt32) {
    self.attempt = attempt
  }

  // MARK: Submitting

  /// A channel on which one more frame may be sent, or wait; `nil` if the caller has to wait for it.
  /// - Parameters:
  ///   - forReader: whether the caller is the thread that reads the answers, which cannot wait for them.
  ///   - closing: the failure of frames that come after `close`.
  package func room(forReader: Bool, closing: @autoclosure () -> Status) throws(Status) -> Channel? {
    if isClosing { throw closing() }
    guard let channel else {
      if isMoving, !forReader { return nil }
      throw lost
    }
    guard let credit, frames.runningCount + frames.waitingCount >= credit else { return channel }
    if forReader {
      throw Status(
        .failedPrecondition,
        "\(credit) frames are unanswered, and answers wait for this callback; submit from another thread")
    }
    return nil
  }

  /// Whether a frame that found `channel` gone is submitted once more, on the channel that comes after it.
  package func mayRetry(after channel: Channel, closing: @autoclosure () -> Status) throws(Status) -> Bool {
    if isClosing { throw closing() }
    return self.channel !== channel && (isMoving || self.channel != nil)
  }

  /// Whether a frame has no answer yet.
  package var isBusy: Bool { frames.isBusy }

  /// The next frame, which gets its number when it is added.
  package func nextInfo(timestamp: UInt64) -> FrameInfo {
    var info = FrameInfo(number: lastNumber + 1, timestamp: timestamp, attempt: attempt)
    info.followed = followed.faces
    return info
  }

  /// Adds a frame, which has an event from here on.
  /// - Returns: whether to send it now, and the frame that it replaces.
  package mutating func add(
    _ frame: Frame, on channel: Channel, closing: @autoclosure () -> Status
  ) throws(Status) -> (isSent: Bool, dropped: Frame?) {
    try accept(frame.info, channel, closing)
    followed.remove(frame.info.followed)
    guard credit == nil, frames.isBusy else {
      frames.appendRunning(frame)
      return (true, nil)
    }
    let dropped = dropWaiting()
    if let dropped { frame.adoptFollowed(of: dropped) }
    frames.append(frame)
    return (false, dropped)
  }

  /// Adds a frame for which mode `newest` has no memory. It is dropped as if a newer one had come, or fails
  /// if the engine has no frame whose answer would make room.
  package mutating func addWithoutMemory(
    _ info: FrameInfo, on channel: Channel, closing: @autoclosure () -> Status, _ noRoom: Status
  ) throws(Status) {
    try accept(info, channel, closing)
    let outcome: FrameEvent.Outcome =
      frames.isBusy ? .dropped(total: frames.countDropped()) : .failed(noRoom)
    frames.appendSettled(FrameEvent(frame: info, outcome: outcome))
  }

  private mutating func accept(_ info: FrameInfo, _ channel: Channel, _ closing: () -> Status) throws(Status) {
    if isClosing { throw closing() }
    // The connection was lost meanwhile, and the buffers with it.
    guard self.channel === channel else { throw lost }
    lastNumber = info.number
  }

  /// Drops the waiting frame of mode `newest`, if any.
  package mutating func dropWaiting() -> Frame? {
    guard credit == nil else { return nil }
    return frames.dropWaiting { frame, total in FrameEvent(frame: frame.info, outcome: .dropped(total: total))
    }
  }

  /// The same, to make room for the next frame.
  package mutating func makeRoom() -> Frame? {
    let dropped = dropWaiting()
    followed.returnUnused(dropped?.info.followed ?? [])
    return dropped
  }

  /// The frame that is sent next; `nil` if the engine has no room, or none waits.
  package mutating func startWaiting() -> Frame? {
    frames.runningCount < (credit ?? 1) ? frames.start() : nil
  }

  /// Settles a running frame that could not be sent.
  package mutating func settle(_ frame: Frame, unsent reason: Status) {
    frames.settle(FrameEvent(frame: frame.info, outcome: .failed(reason))) { $0 === frame }
  }

  // MARK: Answers

  package mutating func addCredit(_ more: Int) { credit = credit.map { $0 + more } }

  /// The running frame with that number; `nil` if the engine has no such frame.
  package func running(_ number: UInt64) -> Frame? { frames.running { $0.info.number == number } }

  package mutating func settle(_ event: FrameEvent) {
    var event = event
    // Frames dropped by the engine are counted together with those dropped here.
    if case .dropped = event.outcome { event.outcome = .dropped(total: frames.countDropped()) }
    frames.settle(event) { $0.info.number == event.frame.number }
  }

  /// The next event to deliver, in the order of the frames.
  package mutating func popEvent() -> FrameEvent? {
    guard var event = frames.popSettled() else { return nil }
    if event.frame.attempt != attempt { event.check = nil }
    return event
  }

  package mutating func restart() {
    attempt &+= 1
    mustForget = true
  }

  /// The attempt before which nothing has to be kept any more, once after each restart.
  package mutating func takeForgotten() -> UInt32? {
    guard mustForget, frames.unsettled.allSatisfy({ $0.info.attempt == attempt }) else { return nil }
    mustForget = false
    return attempt
  }

  // MARK: Channels

  /// Sends frames on `channel` from now on.
  package mutating func use(_ channel: Channel, credit: Int?) {
    (self.channel, self.credit, isMoving) = (channel, credit, false)
  }

  /// The engine takes no more frames, and answers those that it has: the next channel is looked for.
  package mutating func drain() {
    channel = nil
    isMoving = !isClosing
    lost = Status(.unavailable, "the engine is stopping; the stream opens again when it runs")
  }

  /// There is no next channel.
  package mutating func stay() { isMoving = false }

  /// No more answers come on the channel. Frames that the engine has not taken go to the next one, if there is
  /// one; others fail.
  package mutating func lose(_ reason: Status) {
    channel = nil
    lost = reason
    if isClosing { isMoving = false }
    guard !isMoving else { return }
    let status = isClosing ? Status.streamClosed : reason
    _ = frames.settleAll { frame in FrameEvent(frame: frame.info, outcome: .failed(status)) }
  }

  /// An attempt to open the stream has failed.
  package mutating func note(_ reason: Status) { lost = reason }

  /// The frames that the previous engine has not taken, in their order.
  package var untaken: [Frame] { frames.unsettled }

  /// Moves them to the channel of an engine with that credit.
  /// - Parameter replacement: the frame for that channel, or why it cannot be sent there.
  /// - Returns: the frames to send.
  package mutating func move(
    credit: Int?, _ replacement: (Frame) -> Result<Frame, Status>
  ) -> [Frame] {
    frames.replaceUnsettled { frame in
      switch replacement(frame) {
      case .success(let frame): .frame(frame)
      case .failure(let status): .answer(FrameEvent(frame: frame.info, outcome: .failed(status)))
      }
    }
    // A new engine may give less credit.
    if let credit { frames.stop(after: credit) }
    return frames.running
  }

  // MARK: Closing

  package mutating func close() { isClosing = true }

  /// Settles the waiting frames of a stream that is closing.
  /// - Returns: those frames; `nil` if it is not closing.
  package mutating func settleWaitingOfClosed() -> [Frame]? {
    guard isClosing else { return nil }
    var waiting: [Frame] = []
    while let frame = frames.settleWaiting({ FrameEvent(frame: $0.info, outcome: .failed(.streamClosed)) }) {
      waiting.append(frame)
    }
    return waiting
  }
}

extension Status {
  /// The failure of a frame whose stream was closed.
  package static let streamClosed = Status(.cancelled, "the stream was closed before the frame was searched")
}
