public import FaceCore
import Posix
import Wire

/// A stream of frames to an engine elsewhere; see `Client.openStream`.
///
/// Who submits puts the image into shared memory and, when the engine has room, sends the frame. The stream's thread reads
/// what the engine says, sends the frame that waits when its turn comes, and delivers the events.
final class RemoteStream: FrameStream {
  struct State {
    /// `nil` while there is none, or the engine takes no more frames on it.
    var channel: StreamChannel?
    /// Why there is no channel.
    var lost = Status(.unavailable, "the stream is not open yet")
    /// Frames that may be unanswered; `nil` for mode `newest`, which has one.
    var credit: Int?
    var ledger = InFlightFrames()
    var lastNumber: UInt64 = 0
    /// As in `FrameInfo`.
    var attempt: UInt32
    var isClosing = false
    /// The one that delivers, once it runs.
    var reader: ThreadIdentity?
    var thread: Thread?
  }

  let path: SocketPath
  let client: ClientOptions
  let options: StreamOptions
  let shares: MemoryShares
  let deliver: @Sendable (FrameEvent) -> Void
  let state: Monitor<State>
  /// There is room for a frame, a channel, none any more, or the stream is closing.
  let changed = Condition()
  /// Interrupts the reading: the stream is closing.
  let wakeup: Wakeup
  private let owner = CurrentProcess.id

  init(
    _ path: SocketPath, _ client: ClientOptions, _ options: StreamOptions, _ shares: MemoryShares,
    _ deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) {
    self.path = path
    self.shares = shares
    self.client = client
    self.options = options
    self.deliver = deliver
    state = Monitor(State(attempt: options.check == nil ? 0 : 1))
    wakeup = try Wakeup()
    shares.enter()
  }

  deinit { shares.leave() }

  var startMessage: WatchStart {
    var check = options.check
    // Pixels are quicker kept here than sent back as a file.
    check?.callerKeepsPicture = true
    return WatchStart(
      options: options.detection, mode: options.mode == .every ? .every : .newest,
      tracking: options.tracking, check: check)
  }

  /// Whether the picture of a guided check is kept here, and not by the caller.
  var keepsPicture: Bool { options.check?.callerKeepsPicture == false }

  /// Opens the stream and starts its thread.
  func start() throws(Status) {
    let opened = try StreamChannel.open(
      path, startMessage, shares, or: wakeup, CancellationToken(timeout: client.timeout))
    begin(opened)
    let thread = try Thread(name: "face-stream", blockingSignals: true) { self.run(opened) }
    state.withLock { state in state.thread = thread }
  }

  func begin(_ opened: StreamChannel.Opened) {
    state.withLock { state in
      state.channel = opened.channel
      state.credit = opened.credit
    }
    changed.wakeAll()
  }

  // MARK: Submitting

  func submit(_ image: HeldImage, timestamp: UInt64) throws(Status) -> UInt64 {
    // Before any lock: in a fork another thread may have held it.
    guard owner == CurrentProcess.id else {
      throw Status(.failedPrecondition, "the stream was opened before the fork; open another one here")
    }
    let token = CancellationToken(timeout: client.timeout)
    let channel = try awaitRoom(token)
    let info = state.withLock { state in
      FrameInfo(number: state.lastNumber + 1, timestamp: timestamp, attempt: state.attempt)
    }
    if let frame = try prepare(image, info, channel, token) {
      try add(frame, channel)
    } else {
      try end(info, bytes: image.input.packedByteCount, channel)
    }
    return info.number
  }

  /// A channel on which a frame more may be sent, or wait.
  private func awaitRoom(_ token: CancellationToken) throws(Status) -> StreamChannel {
    let me = ThreadIdentity.current
    let channel = try token.wait(in: state, for: changed) { (state) throws(Status) -> StreamChannel? in
      if state.isClosing { throw Status(.failedPrecondition, "the stream was closed; open another one") }
      guard let channel = state.channel else { throw state.lost }
      guard let credit = state.credit, state.ledger.sent >= credit else { return channel }
      if state.reader == me {
        throw Status(
          .failedPrecondition,
          "\(credit) frames are unanswered, and answers wait for this callback; submit from another thread")
      }
      return nil
    }
    guard let channel else {
      throw Status(
        .deadlineExceeded, "the engine answered no frame of the stream in time; see that it is not stuck")
    }
    return channel
  }

  /// Puts the image where it can be sent from; `nil` when mode `newest` has no memory for it now. Throws
  /// `resourceExhausted` when there is no way for one of its size.
  private func prepare(
    _ image: HeldImage, _ info: FrameInfo, _ channel: StreamChannel, _ token: CancellationToken
  ) throws(Status) -> PreparedFrame? {
    let arrival = MonotonicTime.now()
    let deadline =
      arrival.deadline(after: options.frameTimeout)
    // Memory that is shared already would only be named, and read later.
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
      throw channel.images.noRoom(for: input.packedByteCount)
    }
    let held = try image.kept()
    return PreparedFrame(info, MessageImage(held.input), nil, held: held, deadline: deadline)
  }

  /// Puts the image into shared memory; `nil` where there is none for it.
  private func place(
    _ input: ImageInput, fits: Bool, _ channel: StreamChannel, _ token: CancellationToken
  ) throws(Status) -> ImageTransport.Placement? {
    // Buffers come free with answers, which this thread may be the one to read.
    let isReader = state.withLock { state in state.reader == ThreadIdentity.current }
    let waits = options.mode == .every && !fits && !isReader
    do throws(ExchangeFailure) {
      let placed = try channel.images.place([input], waiting: waits ? token : nil, token)
      if placed != nil || fits { return placed }
      // The frame that waits, if one does, makes room for the newer one.
      guard let old = state.withLock({ state in state.ledger.dropWaiting() })?.placement else { return nil }
      channel.images.giveBack(old)
      return try channel.images.place([input], waiting: nil, token)
    } catch {
      throw error.status
    }
  }

  /// Takes the frame: from now on there will be an event for it.
  private func add(_ frame: PreparedFrame, _ channel: StreamChannel) throws(Status) {
    enum Next {
      case send
      case wait(insteadOf: PreparedFrame?)
    }
    let next = try state.withLock { (state) throws(Status) -> Next in
      try take(frame.info, channel, &state)
      if state.credit == nil, state.ledger.isBusy {
        return .wait(insteadOf: state.ledger.addWaiting(frame))
      }
      state.ledger.addSent(frame)
      return .send
    }
    switch next {
    case .send: send(frame, on: channel)
    case .wait(let old): if let placement = old?.placement { channel.images.giveBack(placement) }
    }
  }

  /// Takes a frame for which mode `newest` has no memory: like one that a newer one overtook, unless nothing will ever make
  /// room.
  private func end(_ info: FrameInfo, bytes size: Int, _ channel: StreamChannel) throws(Status) {
    try state.withLock { (state) throws(Status) in
      try take(info, channel, &state)
      state.ledger.addEnded(info, whenIdle: channel.images.noRoom(for: size))
    }
    // The reader has the event to deliver.
    wakeup.signal()
  }

  private func take(_ info: FrameInfo, _ channel: StreamChannel, _ state: inout State) throws(Status) {
    if state.isClosing { throw Status(.failedPrecondition, "the stream was closed; open another one") }
    // Lost meanwhile, and the buffers with it.
    guard state.channel === channel else { throw state.lost }
    state.lastNumber = info.number
  }

  /// Whatever comes of it is told by an event.
  func send(_ frame: PreparedFrame, on channel: StreamChannel) {
    do throws(Status) {
      let message = try frame.message(stream: StreamChannel.stream, limit: client.maxMessageBytes)
      do throws(Status) {
        try channel.send(message, CancellationToken(timeout: client.timeout))
      } catch {
        // What reads finds the end of the connection.
        channel.link.lose(error)
      }
    } catch {
      if let placement = frame.placement { channel.images.giveBack(placement) }
      _ = state.withLock { state in state.ledger.settle(frame.info.number, .failed(error), left: []) }
      // The reader has the event to deliver.
      wakeup.signal()
    }
  }

  func restartCheck() {
    guard owner == CurrentProcess.id else { return }
    state.withLock { state in state.attempt &+= 1 }
  }

  // MARK: Closing

  func close() {
    guard owner == CurrentProcess.id else { return }
    let thread = state.withLock { state in
      state.isClosing = true
      // One that closes from its own callback cannot wait for itself.
      return state.reader == ThreadIdentity.current ? nil : state.thread
    }
    changed.wakeAll()
    wakeup.signal()
    thread?.join()
  }
}

extension Client: StreamingDetector {
  /// Opens a `Detector/Watch`, or for a guided check a `Detector/Check`, on a connection of its own, with a thread that reads it and calls `deliver`.
  ///
  /// When that connection is lost, the frames that have no event yet fail with `unavailable`, and the stream is opened again
  /// by itself: at once, then after pauses of 50 ms to 2 s, until it is closed. Until then `submit` throws the reason. The
  /// faces in view at that moment are said to have left with the next event; ids go on after those used before.
  ///
  /// In mode `newest` one frame is with the engine and one waits here, its image in shared memory already; a frame for which
  /// there is no memory takes that of the one that waits, and is dropped where none does. It fails with `resourceExhausted`
  /// when the engine has no frame of the stream, so that there is no memory of the stream to wait for. In mode `every`
  /// as many are with the engine as it gives credit for; `submit` waits for that no longer than `ClientOptions.timeout`.
  /// `close` waits as long for the frames that are with the engine, and is called outside of `deliver`.
  ///
  /// A stream belongs to the process that opened it: in a fork `submit` throws `failedPrecondition`, and `close` does
  /// nothing.
  ///
  /// Throws `invalidArgument` for wrong options, and what the engine says of them.
  public func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    try options.detection.validate()
    try options.tracking?.validate()
    try options.check?.validate()
    guard options.frameTimeout >= 0 else {
      throw Status(.invalidArgument, "the frame timeout is \(options.frameTimeout); give 0 for none, or more")
    }
    let stream = try RemoteStream(path, self.options, options, shares, deliver)
    try stream.start()
    return stream
  }
}
