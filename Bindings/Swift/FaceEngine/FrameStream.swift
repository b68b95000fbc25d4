internal import CFaceEngine

/// The frames of a source on their way to a session of C, and what it reports on its way to a consumer.
///
/// A feeder submits frames while there is room: as long as fewer than `limit` frames are searched, or wait for the
/// consumer. So a slow consumer slows the feeder, which drops frames in mode `newest`, and takes none from the source
/// in mode `every`.
final class FrameStream<Element: Sendable>: Sendable {
  /// A frame that was submitted, or waits for that.
  struct Frame {
    let image: Image
    let number: Int
    /// How many frames before it were dropped.
    var dropped = 0
    /// Why it was not submitted. It keeps its turn.
    var failure: FaceError?
  }

  private struct State {
    var isBegun = false
    /// Frames taken from the source.
    var taken = 0
    /// Frames that were dropped since the last one that was submitted.
    var dropped = 0
    /// Mode `newest`: the frame that is submitted next.
    var latest: Frame?
    var isSourceEnded = false
    /// Submitted frames without their event, in their order.
    var searched: [Frame] = []
    var gone = GoneFaces()
    /// The pictures of faces in view that the session reports on request, or reported at its end.
    var requested: [BestPicture] = []
    /// The frame whose events come now.
    var current: Frame?
    var ready: [Element] = []
    var session: Session?
    var feeder: Task<Void, Never>?
    /// Set when no more events are taken: nil for the end of the frames.
    var end: Result<Void, FaceError>?
    /// Of each task that waits: resumes it if what it waits for is there, and returns whether.
    var waiting: [(inout State) -> Bool] = []

    /// Resumes tasks until none finds what it waits for: one that takes an element makes room for a frame.
    mutating func wake() {
      var count: Int
      repeat {
        let tasks = waiting
        count = tasks.count
        waiting = tasks.filter { resume in !resume(&self) }
      } while waiting.count < count
    }
  }

  private let engine: FaceEngine
  private let mode: SessionMode
  private let open: @Sendable (SessionMode, Canceller) throws(FaceError) -> Session
  private let element: @Sendable (SessionEvent, Frame, GoneFaces) -> (element: Element, isLast: Bool)?
  private let state = Monitor(State())
  private let limit: Int

  /// - Parameters:
  ///   - open: opens the session.
  ///   - element: makes what the consumer gets of an event, if anything.
  init(
    _ engine: FaceEngine, _ mode: SessionMode,
    open: @escaping @Sendable (SessionMode, Canceller) throws(FaceError) -> Session,
    element: @escaping @Sendable (SessionEvent, Frame, GoneFaces) -> (element: Element, isLast: Bool)?
  ) {
    (self.engine, self.mode, self.open, self.element) = (engine, mode, open, element)
    // Fewer than the 4 from which on a session in mode `every` lets its caller wait.
    limit = mode == .newest ? 1 : 3
  }

  @discardableResult
  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      state.wake()
      return result
    }
  }

  /// Waits until `body` returns a result. Tasks are resumed under the lock: they run elsewhere.
  private func wait<Result: Sendable>(for body: @escaping (inout State) -> Result?) async -> Result {
    await withUnsafeContinuation { continuation in
      change { state in
        state.waiting.append { state in
          guard let result = body(&state) else { return false }
          continuation.resume(returning: result)
          return true
        }
      }
    }
  }

  // MARK: The consumer's side

  /// Opens the session, and begins to take frames. Throws if that was done before.
  func start<Frames: AsyncSequence & Sendable>(_ frames: Frames) async throws(FaceError)
  where Frames.Element == Image {
    let session = try await engine.threads.run { [self] canceller throws(FaceError) in
      try open(mode, canceller)
    }
    try session.bind { [self] event in report(event) }
    let isEnded = state.withLock { state in
      state.session = session
      if state.end == nil { state.feeder = Task { [self] in await feed(frames) } }
      return state.end != nil
    }
    if isEnded { close(session) }
  }

  /// Throws if there is an iterator already.
  func begin() throws(FaceError) {
    let isFirst = state.withLock { state in
      defer { state.isBegun = true }
      return !state.isBegun
    }
    guard isFirst else {
      throw FaceError(
        .failedPrecondition, "these frames were iterated before; call the engine's method again")
    }
  }

  /// - Returns: nil after the last one.
  func next() async throws(FaceError) -> Element? {
    let next = await withTaskCancellationHandler {
      await wait { state -> Result<Element?, FaceError>? in
        state.ready.isEmpty ? state.end?.map { nil } : .success(state.ready.removeFirst())
      }
    } onCancel: {
      end(.failure(.cancelled))
    }
    return try next.get()
  }

  /// Ends the stream. Frames that are searched are cancelled.
  /// - Parameter keepsReady: whether the consumer still gets what is ready.
  func end(_ result: Result<Void, FaceError>, keepsReady: Bool = false) {
    let session = change { state -> Session? in
      guard state.end == nil else { return nil }
      state.end = result
      if !keepsReady { state.ready = [] }
      (state.latest, state.searched) = (nil, [])
      state.feeder?.cancel()
      return state.session
    }
    if let session { close(session) }
  }

  func follow(_ box: Box) throws(FaceError) -> UInt64 {
    guard let session = state.withLock({ $0.session }) else {
      throw FaceError(.failedPrecondition, "the frames are not followed yet; wait for the first one")
    }
    return try session.follow(box)
  }

  /// After the end: the pictures that no frame has.
  func bestPictures() throws(FaceError) -> [BestPicture] {
    let session = state.withLock { state in
      if state.end == nil { state.requested = [] }
      return state.end == nil ? state.session : nil
    }
    if let session { try session.reportBest() }
    return state.withLock { state in state.requested }
  }

  private func close(_ session: Session) {
    session.cancel()
    // Waits for callbacks, and a callback may be here.
    engine.threads.start { [engine] in withExtendedLifetime(engine) { session.close() } }
  }

  // MARK: The feeder's side

  private func feed<Frames: AsyncSequence & Sendable>(_ frames: Frames) async where Frames.Element == Image {
    var result = Result<Void, FaceError>.success(())
    do {
      if mode == .newest {
        async let taking: Void = take(frames)
        while let frame = await newest() { await submit(frame) }
        try await taking
      } else {
        var iterator = frames.makeAsyncIterator()
        while await hasRoom(), let image = try await iterator.next() { await submit(newFrame(image)) }
      }
    } catch {
      let failure = error as? FaceError ?? FaceError(.aborted, "the frames ended with an error: \(error)")
      result = .failure(failure)
    }
    await wait { state in state.end != nil || state.searched.isEmpty ? () : nil }
    keepLastPictures()
    end(result, keepsReady: true)
  }

  /// Keeps the best pictures that no frame will have.
  private func keepLastPictures() {
    let session = state.withLock { state in
      state.requested = []
      return state.session
    }
    // A session without `bestSize` refuses.
    guard let session, (try? session.reportBest()) != nil else { return }
    state.withLock { state in state.requested = state.gone.pictures + state.requested }
  }

  /// Keeps the newest frame of the source.
  private func take<Frames: AsyncSequence>(_ frames: Frames) async throws where Frames.Element == Image {
    defer { change { $0.isSourceEnded = true } }
    for try await image in frames {
      let frame = newFrame(image)
      change { state in
        if state.latest != nil { state.dropped += 1 }
        state.latest = frame
      }
      if Task.isCancelled { return }
    }
  }

  private func newFrame(_ image: Image) -> Frame {
    state.withLock { state in
      state.taken += 1
      return Frame(image: image, number: state.taken)
    }
  }

  /// - Returns: whether another frame may be submitted; false at the end.
  private func hasRoom() async -> Bool {
    await wait { [limit] state in
      state.end != nil ? false : state.searched.count + state.ready.count < limit ? true : nil
    }
  }

  /// - Returns: the newest frame when there is room for it; nil at the end.
  private func newest() async -> Frame? {
    guard await hasRoom() else { return nil }
    return await wait { state -> Frame?? in
      guard state.end == nil, var frame = state.latest.take() else {
        return state.end != nil || state.isSourceEnded ? .some(nil) : nil
      }
      (frame.dropped, state.dropped) = (state.dropped, 0)
      return frame
    }
  }

  private func submit(_ frame: Frame) async {
    let session = state.withLock { state in
      state.searched.append(frame)
      return state.session
    }
    guard let session else { return }
    do throws(FaceError) {
      if mode == .every {
        // May wait for memory that the engine process shares.
        try await engine.threads.run { _ throws(FaceError) in try session.submit(frame.image) }
      } else {
        try session.submit(frame.image)
      }
    } catch {
      add { state in
        guard let index = state.searched.firstIndex(where: { $0.number == frame.number }) else { return nil }
        state.searched[index].failure = error
        return nil
      }
    }
  }

  // MARK: The session's side

  private func report(_ event: SessionEvent) {
    switch event {
    case .faces, .failed:
      add { state in
        guard !state.searched.isEmpty else { return nil }
        state.current = state.searched.removeFirst()
        return event
      }
    case .dropped:
      change { state in
        guard !state.searched.isEmpty else { return }
        state.dropped += 1 + state.searched.removeFirst().dropped
      }
    case .left(let id): state.withLock { $0.gone.ids.append(id) }
    case .best(let picture):
      state.withLock { state in
        if picture.hasLeft { state.gone.pictures.append(picture) } else { state.requested.append(picture) }
      }
    case .check: add { _ in event }
    }
  }

  /// Makes what the consumer gets: of the event that `body` returns for the current frame, and of the frames that
  /// failed to be submitted and whose turn has come.
  private func add(_ body: (inout State) -> SessionEvent?) {
    let isLast = change { state in
      var isLast = false
      func append(_ event: SessionEvent, of frame: Frame?) {
        guard state.end == nil, !isLast, let frame else { return }
        guard let made = element(event, frame, state.gone) else { return }
        state.gone = GoneFaces()
        state.ready.append(made.element)
        isLast = made.isLast
      }
      if let event = body(&state) { append(event, of: state.current) }
      while let frame = state.searched.first, let failure = frame.failure {
        state.searched.removeFirst()
        append(.failed(failure), of: frame)
      }
      return isLast
    }
    if isLast { end(.success(()), keepsReady: true) }
  }
}
