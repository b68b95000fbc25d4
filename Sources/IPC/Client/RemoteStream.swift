public import FaceCore
import Imaging
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
  struct Threads {
    /// The delivering thread, once it runs.
    var reader: ThreadIdentity?
    var thread: Thread?
  }

  let address: EngineAddress
  let client: ClientOptions
  let options: StreamOptions
  let shares: MemoryShares
  let deliver: @Sendable (FrameEvent) -> Void
  let state: Monitor<FrameFlow<StreamChannel, PreparedFrame>>
  let threads = Monitor(Threads())
  /// Signalled when there is room for a frame, a channel appears or goes, or the stream is closing.
  let changed = Condition()
  /// Interrupts the reading because the stream is closing.
  let wakeup: Wakeup
  /// The engine keeps no picture of a face: this stream has the frames.
  let best: Monitor<BestPictures>?
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
    best = options.best.map { Monitor(BestPictures($0)) }
    state = Monitor(FrameFlow(attempt: options.check == nil ? 0 : 1))
    wakeup = try Wakeup()
    shares.addStream()
  }

  deinit { shares.removeStream() }

  var startMessage: WatchStart {
    var options = options
    // Keeping pixels here is faster than receiving them as a file.
    options.check?.callerKeepsPicture = true
    options.detection = options.searched
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
    threads.withLock { threads in threads.thread = thread }
  }

  /// Starts sending frames on a channel.
  func use(_ opened: StreamChannel.Opened) {
    state.withLock { state in state.use(opened.channel, credit: opened.credit) }
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
        // It may be interrupted by another thread that closes the stream, or by its canceller.
        let mayRetry = try state.withLock { (state) throws(Status) in
          try state.mayRetry(after: channel, closing: closing)
        }
        guard mayRetry else { throw error }
      }
    }
  }

  private func submit(
    _ image: HeldImage, _ timestamp: UInt64, on channel: StreamChannel, _ token: CancellationToken
  ) throws(Status) -> UInt64 {
    let info = state.withLock { state in state.nextInfo(timestamp: timestamp) }
    var prepared = try prepare(image, info, channel, token)
    if prepared == nil, !state.withLock({ state in state.isBusy }) {
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
    let isReader = isReader
    let channel = try token.wait(in: state, for: changed) { (state) throws(Status) -> StreamChannel? in
      try state.room(forReader: isReader, closing: closing)
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
    let waits = options.mode == .every && !fits && !isReader
    do throws(ExchangeFailure) {
      let placed = try channel.images.place([input], waiting: waits ? token : nil, token)
      if placed != nil || fits { return placed }
      // The waiting frame, if any, makes room for the newer one.
      let dropped = state.withLock { state in state.makeRoom() }
      guard let old = dropped?.placement else { return nil }
      channel.images.release(old)
      return try channel.images.place([input], waiting: nil, token)
    } catch {
      throw error.status
    }
  }

  /// Adds a frame to the stream, which will deliver an event for it, and sends it if the engine has room.
  private func add(_ frame: PreparedFrame, _ channel: StreamChannel) throws(Status) {
    let (mustSend, dropped) = try state.withLock { (state) throws(Status) in
      try state.add(frame, on: channel, closing: closing)
    }
    if let placement = dropped?.placement { channel.images.release(placement) }
    if mustSend { send(frame, on: channel) }
  }

  /// Adds a frame for which mode `newest` has no memory.
  private func addWithoutMemory(
    _ info: FrameInfo, bytes size: Int, isFile: Bool, _ channel: StreamChannel
  ) throws(Status) {
    let noRoom = channel.images.noRoom(for: size, isFile: isFile)
    try state.withLock { (state) throws(Status) in
      try state.addWithoutMemory(info, on: channel, closing: closing, noRoom)
    }
    // The reading thread has the event to deliver.
    wakeup.signal()
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
      state.withLock { state in state.settle(frame, unsent: error) }
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

  func bestPictures(of id: UInt64?) -> [BestPicture] {
    guard owner == CurrentProcess.id else { return [] }
    return best?.withLock { best in best.pictures(of: id) } ?? []
  }

  func restartCheck() {
    guard owner == CurrentProcess.id else { return }
    state.withLock { state in state.restart() }
    wakeup.signal()
  }

  // MARK: Closing

  /// Whether this thread reads the answers.
  private var isReader: Bool {
    threads.withLock { threads in threads.reader == ThreadIdentity.current }
  }

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
      state.close()
      return state.channel
    }
    // Also ends the waiting of a thread that sends.
    channel?.socket.lose(Canceller.status)
    changed.wakeAll()
    wakeup.signal()
  }

  func close() {
    guard owner == CurrentProcess.id else { return }
    state.withLock { state in state.close() }
    changed.wakeAll()
    wakeup.signal()
    // A thread that closes from its own callback cannot wait for itself.
    if !isReader { threads.withLock { threads in threads.thread }?.join() }
    best?.withLock { best in best.removeAll() }
  }
}
