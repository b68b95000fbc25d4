public import FaceCore
import Posix
import Wire

extension Client: StreamingDetector {
  /// Opens a `Detector/Watch`, or for a guided check a `Detector/Check`, on a connection of its own, with a
  /// thread that reads it and calls `deliver`.
  ///
  /// If the engine stops and another one has taken its place, the stream continues there: frames that the
  /// first has not taken go to the second, `submit` waits meanwhile, and each frame has one event. If the
  /// connection is lost in any other way, the frames without an event fail with `unavailable`, and the stream
  /// is reopened: at once, then after the pauses of `Backoff`, until it is closed. Until it is open again,
  /// `submit` throws the reason. Faces that were in view leave with the next event; new ids continue after
  /// those used before.
  ///
  /// In mode `newest`, one frame is with the engine and one waits here, its image already in shared memory. A
  /// frame without memory of its own takes that of the waiting one, and is dropped if none waits. It fails
  /// with `resourceExhausted` if the engine has no frame of the stream, so that no memory of the stream will
  /// become free. In mode `every`, the engine has as many frames as it gives credit for; `submit` waits for
  /// credit no longer than `ClientOptions.timeout`. `close` waits as long for the frames that are with the
  /// engine, and is called outside of `deliver`. A cancel of the options' canceller ends the stream at once:
  /// its frames fail, and `close` waits for no engine.
  ///
  /// A stream belongs to the process that opened it: in a forked child, `submit` throws `failedPrecondition`
  /// and `close` does nothing.
  ///
  /// Throws `invalidArgument` for wrong options, and the engine's reason for refusing them.
  public func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    try options.validate()
    let stream = try RemoteStream(address, self.options, options, shares, deliver)
    try stream.start()
    return stream
  }
}

/// A stream of frames to an engine in another process; see `Client.openStream`.
///
/// The submitting thread copies the image to shared memory and, if the engine has room, sends the frame. The
/// stream's thread reads the answers, sends the waiting frame when its turn comes, and delivers the events.
final class RemoteStream: FrameStream {
  struct State {
    /// The channel; `nil` while there is none, or if the engine takes no more frames on it.
    var channel: StreamChannel?
    /// Why there is no channel.
    var lost = Status(.unavailable, "the stream is not open yet")
    /// Whether the engine takes no more frames, and the next channel is about to be used.
    var isMoving = false
    /// The number of frames that may be unanswered; `nil` for mode `newest`, which allows one.
    var credit: Int?
    /// The frames. Running ones are with the engine; in mode `newest` that is at most one, and one more
    /// waits.
    var frames = InOrderFrames<PreparedFrame, FrameEvent>()
    var lastNumber: UInt64 = 0
    /// The attempt of `FrameInfo`.
    var attempt: UInt32
    /// Whether something of earlier attempts may be kept.
    var mustForget = false
    var followed = WaitingFollowedFaces()
    var isClosing = false
    /// The delivering thread, once it runs.
    var reader: ThreadIdentity?
    var thread: Thread?
  }

  let address: EngineAddress
  let client: ClientOptions
  let options: StreamOptions
  let shares: MemoryShares
  let deliver: @Sendable (FrameEvent) -> Void
  let state: Monitor<State>
  /// Signalled when there is room for a frame, a channel appears or goes, or the stream is closing.
  let changed = Condition()
  /// Interrupts the reading because the stream is closing.
  let wakeup: Wakeup
  private let owner = CurrentProcess.id

  init(
    _ address: EngineAddress, _ client: ClientOptions, _ options: StreamOptions, _ shares: MemoryShares,
    _ deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) {
    self.address = address
    self.shares = shares
    self.client = client
    self.options = options
    self.deliver = deliver
    state = Monitor(State(attempt: options.check == nil ? 0 : 1))
    wakeup = try Wakeup()
    shares.addStream()
  }

  deinit { shares.removeStream() }

  var startMessage: WatchStart {
    var options = options
    // Keeping pixels here is faster than receiving them as a file.
    options.check?.callerKeepsPicture = true
    return WatchStart(options)
  }

  /// Whether the picture of a guided check is kept here and not by the caller.
  var keepsPicture: Bool { options.check?.callerKeepsPicture == false }

  /// Opens the stream and starts its thread.
  func start() throws(Status) {
    let token = CancellationToken(timeout: client.timeout, canceller: options.canceller)
    let opened = try token.interruptible({ self.wakeup.signal() }) { () throws(Status) in
      try StreamChannel.open(
        on: FramedSocket(address, token), startMessage, shares, or: wakeup, token)
    }
    use(opened)
    let thread = try Thread(name: "face-stream", blockingSignals: true) { self.run(opened) }
    state.withLock { state in state.thread = thread }
  }

  /// Starts sending frames on a channel.
  func use(_ opened: StreamChannel.Opened) {
    state.withLock { state in
      state.channel = opened.channel
      state.credit = opened.credit
      state.isMoving = false
    }
    changed.wakeAll()
  }

  // MARK: Submitting

  func submit(_ image: HeldImage, timestamp: UInt64) throws(Status) -> UInt64 {
    // Before any lock: in a forked child, another thread may have held it.
    try checkProcess()
    let token = CancellationToken(timeout: client.timeout, canceller: options.canceller)
    while true {
      let channel = try awaitRoom(token)
      do throws(Status) {
        return try submit(image, timestamp, on: channel, token)
      } catch {
        guard error.code == .unavailable || error.code == .cancelled else { throw error }
        try state.withLock { (state) throws(Status) in
          // Interrupted by another thread that closes the stream, or by its canceller.
          if state.isClosing { throw closing }
          // Retried on the channel that comes after this one.
          guard state.hasMoved(from: channel) else { throw error }
        }
      }
    }
  }

  private func submit(
    _ image: HeldImage, _ timestamp: UInt64, on channel: StreamChannel, _ token: CancellationToken
  ) throws(Status) -> UInt64 {
    let info = state.withLock { state in
      var info = FrameInfo(number: state.lastNumber + 1, timestamp: timestamp, attempt: state.attempt)
      info.followed = state.followed.faces
      return info
    }
    var prepared = try prepare(image, info, channel, token)
    if prepared == nil, !state.withLock({ state in state.frames.isBusy }) {
      // The frame that had the memory was answered meanwhile.
      prepared = try prepare(image, info, channel, token)
    }
    if let frame = prepared {
      try add(frame, channel)
    } else {
      let input = image.input
      try addWithoutMemory(info, bytes: input.packedByteCount, isFile: input.isFile, channel)
    }
    return info.number
  }

  /// Waits for a channel on which one more frame may be sent, or wait.
  private func awaitRoom(_ token: CancellationToken) throws(Status) -> StreamChannel {
    let me = ThreadIdentity.current
    let channel = try token.wait(in: state, for: changed) { (state) throws(Status) -> StreamChannel? in
      if state.isClosing { throw closing }
      guard let channel = state.channel else {
        if state.isMoving, state.reader != me { return nil }
        throw state.lost
      }
      guard let credit = state.credit, state.frames.runningCount >= credit else { return channel }
      if state.reader == me {
        throw Status(
          .failedPrecondition,
          "\(credit) frames are unanswered, and answers wait for this callback; submit from another thread")
      }
      return nil
    }
    guard let channel else {
      if token.isCancelled { throw token.failure }
      throw Status(
        .deadlineExceeded, "the engine answered no frame of the stream in time; check that it is not stuck")
    }
    return channel
  }

  /// Puts the image where it can be sent from; returns `nil` if mode `newest` has no memory for it now.
  /// Throws `resourceExhausted` if an image of its size cannot be sent.
  private func prepare(
    _ image: HeldImage, _ info: FrameInfo, _ channel: StreamChannel, _ token: CancellationToken
  ) throws(Status) -> PreparedFrame? {
    let deadline = MonotonicTime.deadline(after: options.frameTimeout)
    // An image already in shared memory is only referenced, and read later.
    let image = image.input.lyingInMemory == nil ? image : try image.kept()
    let input = image.input
    let fits = input.packedByteCount < client.maxMessageBytes
    if let placed = try place(input, fits: fits, channel, token), let name = placed.images.first {
      return PreparedFrame(
        info, name, placed, held: placed.readsCallersMemory ? image : nil, deadline: deadline)
    }
    guard fits else {
      let mayFitLater = channel.images.pool?.canHold(input.packedByteCount) == true
      if options.mode == .newest, mayFitLater { return nil }
      throw channel.images.noRoom(for: input.packedByteCount, isFile: input.isFile)
    }
    let held = try image.kept()
    return PreparedFrame(info, MessageImage(held.input), nil, held: held, deadline: deadline)
  }

  /// Places the image in shared memory; returns `nil` if there is no memory for it.
  private func place(
    _ input: ImageInput, fits: Bool, _ channel: StreamChannel, _ token: CancellationToken
  ) throws(Status) -> ImageTransport.Placement? {
    // Buffers become free with answers, and this thread may be the one that reads them.
    let isReader = state.withLock { state in state.reader == ThreadIdentity.current }
    let waits = options.mode == .every && !fits && !isReader
    do throws(ExchangeFailure) {
      let placed = try channel.images.place([input], waiting: waits ? token : nil, token)
      if placed != nil || fits { return placed }
      // The waiting frame, if any, makes room for the newer one.
      let dropped = state.withLock { state in
        let dropped = state.dropWaiting()
        state.followed.returnUnused(dropped?.info.followed ?? [])
        return dropped
      }
      guard let old = dropped?.placement else { return nil }
      channel.images.release(old)
      return try channel.images.place([input], waiting: nil, token)
    } catch {
      throw error.status
    }
  }

  /// Adds a frame to the stream, which will deliver an event for it, and sends it if the engine has room.
  private func add(_ frame: PreparedFrame, _ channel: StreamChannel) throws(Status) {
    let (mustSend, dropped) = try state.withLock { (state) throws(Status) -> (Bool, PreparedFrame?) in
      try accept(frame.info, channel, &state)
      state.followed.remove(frame.info.followed)
      guard state.credit == nil, state.frames.isBusy else {
        state.frames.appendRunning(frame)
        return (true, nil)
      }
      let dropped = state.dropWaiting()
      if let dropped { frame.adoptFollowed(of: dropped) }
      state.frames.append(frame)
      return (false, dropped)
    }
    if let placement = dropped?.placement { channel.images.release(placement) }
    if mustSend { send(frame, on: channel) }
  }

  /// Adds a frame for which mode `newest` has no memory. It is dropped as if a newer one had come, or fails
  /// if the engine has no frame whose answer would make room.
  private func addWithoutMemory(
    _ info: FrameInfo, bytes size: Int, isFile: Bool, _ channel: StreamChannel
  ) throws(Status) {
    try state.withLock { (state) throws(Status) in
      try accept(info, channel, &state)
      let outcome: FrameEvent.Outcome =
        state.frames.isBusy
        ? .dropped(total: state.frames.countDropped())
        : .failed(channel.images.noRoom(for: size, isFile: isFile))
      state.frames.appendSettled(FrameEvent(frame: info, outcome: outcome))
    }
    // The reading thread has the event to deliver.
    wakeup.signal()
  }

  private func accept(_ info: FrameInfo, _ channel: StreamChannel, _ state: inout State) throws(Status) {
    if state.isClosing { throw closing }
    // The connection was lost meanwhile, and the buffers with it.
    guard state.channel === channel else { throw state.lost }
    state.lastNumber = info.number
  }

  /// Sends a running frame. If that fails, its event has the reason.
  func send(_ frame: PreparedFrame, on channel: StreamChannel) {
    do throws(Status) {
      let message = try frame.message(stream: StreamChannel.stream, limit: client.maxMessageBytes)
      do throws(Status) {
        try channel.send(message, CancellationToken(timeout: client.timeout))
      } catch {
        // The reading thread notices the end of the connection.
        channel.socket.lose(error)
      }
    } catch {
      if let placement = frame.placement { channel.images.release(placement) }
      let event = FrameEvent(frame: frame.info, outcome: .failed(error))
      _ = state.withLock { state in state.frames.settle(event) { $0 === frame } }
      // The reading thread has the event to deliver.
      wakeup.signal()
    }
  }

  func follow(_ box: Box) throws(Status) -> UInt64 {
    try checkProcess()
    try options.validateForFollowing()
    return try state.withLock { (state) throws(Status) in
      if state.isClosing { throw closing }
      return try state.followed.add(box)
    }
  }

  private func checkProcess() throws(Status) {
    guard owner == CurrentProcess.id else {
      throw Status(.failedPrecondition, "the stream was opened before the fork; open another one here")
    }
  }

  func restartCheck() {
    guard owner == CurrentProcess.id else { return }
    state.withLock { state in
      state.attempt &+= 1
      state.mustForget = true
    }
    wakeup.signal()
  }

  // MARK: Closing

  /// Why a closing stream takes no more frames.
  private var closing: Status {
    options.canceller?.isCancelled == true
      ? Canceller.status : Status(.failedPrecondition, "the stream was closed; open another one")
  }

  /// Closes the stream without waiting for the engine; its frames fail. Called when the canceller is cancelled.
  func giveUp() {
    // A forked child has copies of the lock and of the socket, both its parent's.
    guard owner == CurrentProcess.id else { return }
    let channel = state.withLock { state in
      state.isClosing = true
      return state.channel
    }
    // Also ends the waiting of a thread that sends.
    channel?.socket.lose(Canceller.status)
    changed.wakeAll()
    wakeup.signal()
  }

  func close() {
    guard owner == CurrentProcess.id else { return }
    let thread = state.withLock { state in
      state.isClosing = true
      // A thread that closes from its own callback cannot wait for itself.
      return state.reader == ThreadIdentity.current ? nil : state.thread
    }
    changed.wakeAll()
    wakeup.signal()
    thread?.join()
  }
}

extension RemoteStream.State {
  /// Whether another channel has replaced `channel`, or is about to.
  func hasMoved(from channel: StreamChannel) -> Bool {
    self.channel !== channel && (isMoving || self.channel != nil)
  }

  mutating func dropWaiting() -> PreparedFrame? {
    frames.dropWaiting { frame, total in FrameEvent(frame: frame.info, outcome: .dropped(total: total)) }
  }
}
