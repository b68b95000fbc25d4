public import FaceCore
import Imaging
import Posix

extension Engine: StreamingDetector {
  public func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    try options.detection.validate()
    try options.detection.validateForSeveralImages()
    try options.validateBest()
    guard options.frameTimeout >= .zero else {
      throw Status(
        .invalidArgument,
        "the frame timeout is \(options.frameTimeout.nanoseconds) ns; give 0 (none) or more")
    }
    let searcher = try use.during { () throws(Status) -> StreamSearcher in try makeSearcher(options) }
    let detector = frameDetector
    return try Session(searcher, options, use, prepare: detector.prepared, deliver: deliver)
  }

  private func makeSearcher(_ options: StreamOptions) throws(Status) -> StreamSearcher {
    if let check = options.check {
      let checker = try makeChecker(check, options.tracking ?? TrackingOptions(), maxPictureBytes: nil)
      // Loads the networks now, so that no frame waits for them, and a missing one is reported at once.
      _ = try analysis.analyzer
      return .checked(checker)
    }
    if options.best != nil { _ = try analysis.analyzer }
    guard let tracking = options.tracking else { return .single(self) }
    return .tracked(try makeTracker(tracking))
  }
}

/// A stream of frames that are searched on a thread of its own.
///
/// The thread starts the frames in order, searches them and delivers their events without holding a lock. The
/// event of a dropped frame waits for those before it, so that events have the order of the frames.
final class Session: FrameStream {
  private struct Frame {
    let info: FrameInfo
    let image: HeldImage
    /// When the frame must have been started.
    let deadline: MonotonicTime
  }

  private struct State {
    var frames = InOrderFrames<Frame, FrameEvent>()
    /// Whether an event was taken out and the listener has not returned yet.
    var isDelivering = false
    var lastNumber: UInt64 = 0
    /// The attempt of `FrameInfo`.
    var attempt: UInt32
    /// Whether something of earlier attempts may be kept.
    var mustForget = false
    var followed = WaitingFollowedFaces()
    var isClosed = false

    var unanswered: Int { frames.count + (isDelivering ? 1 : 0) }

    /// Takes out the next event in order, if it is ready.
    mutating func startDelivery() -> FrameEvent? {
      assert(!isDelivering)
      guard var event = frames.popSettled() else { return nil }
      if event.frame.attempt != attempt { event.check = nil }
      isDelivering = true
      return event
    }
  }

  /// The number of unanswered frames in mode `every` from which on `submit` waits.
  private static let window = 4
  /// The limit on unanswered frames in mode `newest`, nearly all of them dropped: a listener that is so far
  /// behind has stopped returning.
  private static let maxBehind = 4096

  private let searcher: StreamSearcher
  private let use: EngineUse
  private let options: StreamOptions
  /// Gives an image the decoder and the memory for its file.
  private let prepare: @Sendable (ImageInput) -> ImageInput
  private let deliver: @Sendable (FrameEvent) -> Void
  private let best: Monitor<BestPictures>?
  private let state: Monitor<State>
  /// Wakes the session's thread when there is work.
  private let work = Condition()
  /// Wakes submitting threads when there is room.
  private let room = Condition()
  private let thread = Monitor<Thread?>(nil)
  /// Cancelled when the session is closed, which ends the running frame.
  private let closing = Canceller(reason: Session.closed)

  /// - Parameter options: valid.
  init(
    _ searcher: StreamSearcher, _ options: StreamOptions, _ use: EngineUse,
    prepare: @escaping @Sendable (ImageInput) -> ImageInput,
    deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) {
    self.searcher = searcher
    self.use = use
    self.options = options
    self.prepare = prepare
    self.deliver = deliver
    best = options.best.map { Monitor(BestPictures($0)) }
    state = Monitor(State(attempt: options.check == nil ? 0 : 1))
    // The thread keeps the session alive until it is closed.
    let thread = try Thread(name: "face session", blockingSignals: true) { self.run() }
    self.thread.withLock { $0 = thread }
  }

  func submit(_ image: HeldImage, timestamp: UInt64) throws(Status) -> UInt64 {
    let image = try image.kept()
    let deadline = MonotonicTime.deadline(after: options.frameTimeout)
    let taken = try state.wait(for: room) { (state) throws(Status) -> (number: UInt64, dropped: Frame?)? in
      var dropped: Frame?
      if state.isClosed { throw Session.alreadyClosed }
      switch options.mode {
      case .every:
        guard state.unanswered < Session.window else { return nil }
      case .newest:
        guard state.unanswered < Session.maxBehind else {
          throw Status(
            .resourceExhausted,
            "\(Session.maxBehind) frames wait for their events; return from the listener sooner")
        }
        dropped = state.frames.dropWaiting { frame, total in
          FrameEvent(frame: frame.info, outcome: .dropped(total: total))
        }
      }
      state.lastNumber += 1
      var info = FrameInfo(number: state.lastNumber, timestamp: timestamp, attempt: state.attempt)
      info.followed = (dropped?.info.followed ?? []).joined(with: state.followed.takeAll())
      state.frames.append(Frame(info: info, image: image, deadline: deadline))
      return (state.lastNumber, dropped)
    }
    work.wakeOne()
    // The dropped image is released here, without the lock: that may call the caller's release function.
    return taken?.number ?? 0  // without a deadline, the wait always ends with a number
  }

  func follow(_ box: Box) throws(Status) -> UInt64 {
    try options.validateForFollowing()
    return try state.withLock { (state) throws(Status) in
      if state.isClosed { throw Session.alreadyClosed }
      return try state.followed.add(box)
    }
  }

  func bestPictures(of id: UInt64?) -> [BestPicture] {
    best?.withLock { best in best.pictures(of: id) } ?? []
  }

  func restartCheck() {
    state.withLock { state in
      state.attempt &+= 1
      state.mustForget = true
    }
    work.wakeOne()
  }

  func close() {
    // First, so that the current frame is not completed although the session is closing.
    closing.cancel()
    let wasOpen = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard wasOpen else { return }
    work.wakeOne()
    room.wakeAll()
    let thread = thread.withLock { $0.take() }
    thread?.join()
    best?.withLock { best in best.removeAll() }
  }

  // MARK: The session's thread

  private func run() {
    while settleNext() { deliverSettled() }
  }

  private enum Work {
    case search(Frame)
    case forget(before: UInt32)
    /// The session is closed, and no frame is left.
    case end
  }

  /// Waits for a frame and searches it. Its pixels are released on return: a listener may use them again.
  /// - Returns: false when the session is closed and no frame is left.
  private func settleNext() -> Bool {
    switch nextWork() {
    case .search(let frame):
      let event = event(for: frame)
      _ = state.withLock { state in state.frames.settle(event) }
    case .forget(let attempt):
      searcher.forget(before: attempt)
      CurrentProcess.returnFreedMemory()
    case .end: return false
    }
    return true
  }

  private func nextWork() -> Work {
    state.wait(for: work) { state -> Work? in
      // Only after the frames of earlier attempts, which may be kept, too.
      if state.mustForget, state.frames.unsettled.allSatisfy({ $0.info.attempt == state.attempt }) {
        state.mustForget = false
        return .forget(before: state.attempt)
      }
      if let frame = state.frames.start() { return .search(frame) }
      return state.isClosed ? .end : nil
    } ?? .end
  }

  /// Delivers the event of the frame that has finished, and those of the frames dropped before the next one.
  private func deliverSettled() {
    while let event = state.withLock({ state in state.startDelivery() }) {
      deliver(event)
      state.withLock { state in state.isDelivering = false }
      room.wakeOne()
    }
  }

  private func event(for frame: Frame) -> FrameEvent {
    do throws(Status) {
      try cancellation.check()
      guard !frame.deadline.isPast else {
        throw Status(
          .deadlineExceeded, "the frame's deadline passed before its search began; submit fewer frames")
      }
      return try use.during { () throws(Status) -> FrameEvent in try search(frame.image, frame.info) }
    } catch {
      return FrameEvent(frame: frame.info, outcome: .failed(error))
    }
  }

  private func search(_ image: HeldImage, _ frame: FrameInfo) throws(Status) -> FrameEvent {
    var input = image.input
    input.cancellation = cancellation
    defer { withExtendedLifetime(image) {} }
    var event = try searcher.search(input, frame, options: options.searched)
    guard let best, case .faces(let result) = event.outcome else { return event }
    event.best = best.withLock { best in
      best.update(result, of: frame) { prepare(input) }
      return best.take(event.left)
    }
    return event
  }

  private var cancellation: CancellationToken {
    CancellationToken(canceller: options.canceller, owner: closing)
  }

  private static let alreadyClosed = Status(.failedPrecondition, "the stream was closed; open another one")
  private static let closed = Status(.cancelled, "the stream was closed before the frame was done")
}
