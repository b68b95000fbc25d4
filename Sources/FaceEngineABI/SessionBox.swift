import CFaceEngine
import Client
import FaceCore
import Posix

/// What a `face_session` stands for.
final class SessionBox: Sendable {
  private struct Progress {
    var submitted: UInt64 = 0
    var answered: UInt64 = 0
    var isClosed = false
  }

  /// What the stream's thread touches, so that it does not keep the session alive.
  private final class Events: Sendable {
    let listener = ListenerSlot()
    let progress = Monitor(Progress())
    let changed = Condition()

    func deliver(_ event: FrameEvent) {
      listener.deliver(event)
      progress.withLock { $0.answered = event.frame.number }
      changed.wakeAll()
    }
  }

  /// Lives as long as its sessions.
  private let engine: EngineBox
  private let stream: any FrameStream
  private let mode: StreamOptions.Mode
  private let isCheck: Bool
  private let canceller: Canceller?
  private let events: Events
  private let copies = FrameCopies()
  /// A fork has no thread that searches.
  private let process = CurrentProcess.id

  init(_ engine: EngineBox, _ options: StreamOptions) throws(Status) {
    let events = Events()
    self.engine = engine
    self.events = events
    mode = options.mode
    canceller = options.canceller
    isCheck = options.check != nil
    stream = try engine.openStream(options) { event in events.deliver(event) }
  }

  func bind(_ listener: face_listener?) throws(Status) {
    try checkProcess()
    try events.listener.bind(listener)
  }

  /// - Parameter keeper: what owns the pixels; `nil`: they are copied.
  func submit(_ image: CallerImage, keptBy keeper: PixelKeeper?) throws(Status) -> UInt64 {
    try checkProcess()
    if canceller?.isCancelled == true { throw Canceller.status }
    guard mode == .newest || !events.listener.isCaller else {
      throw Status(
        .failedPrecondition,
        "a session that drops no frame would wait for its own listener; submit after it returned")
    }
    let held =
      if let keeper { HeldImage(image.input, keptBy: keeper) } else {
        HeldImage(borrowing: image.input, copiedBy: copies)
      }
    let number = try engine.call { () throws(Status) in
      try stream.submit(held, timestamp: image.timestamp)
    }
    events.progress.withLock { $0.submitted = max($0.submitted, number) }
    return number
  }

  /// - Parameter timeout: nanoseconds; 0 for as long as it takes.
  func flush(_ timeout: Int64) throws(Status) {
    try checkProcess()
    try checkNotInListener("wait for its own events")
    let deadline = MonotonicTime.deadline(after: timeout)
    let last = events.progress.withLock { $0.submitted }
    let isDone = events.progress.wait(for: events.changed, until: deadline) { progress -> Bool? in
      progress.answered >= last || progress.isClosed ? true : nil
    }
    guard isDone == true else {
      throw Status(.deadlineExceeded, "frames are still without an event; wait longer, or close the session")
    }
  }

  func restartCheck() throws(Status) {
    try checkProcess()
    guard isCheck else {
      throw Status(.failedPrecondition, "this session is no guided check; open one with face_check_open")
    }
    stream.restartCheck()
  }

  /// Whether `close` would be refused.
  func checkClosable() throws(Status) {
    try checkProcess()
    try checkNotInListener("be closed")
  }

  func close() throws(Status) {
    stream.close()
    events.progress.withLock { $0.isClosed = true }
    events.changed.wakeAll()
    try events.listener.bind(nil)
  }

  private func checkNotInListener(_ what: StaticString) throws(Status) {
    guard !events.listener.isCaller else {
      throw Status(
        .failedPrecondition, "a session cannot \(what) from inside its listener; do it after it returned")
    }
  }

  private func checkProcess() throws(Status) {
    guard process == CurrentProcess.id else {
      throw Status(
        .failedPrecondition, "this session belongs to the process that forked; open one of this process")
    }
  }
}

/// Tells the caller, at its own end, that the library needs the pixels no more.
final class PixelKeeper: @unchecked Sendable {
  // The host promised that its function may be called on any thread.
  private let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  private let releaseData: UnsafeMutableRawPointer?
  /// What the pixels lie in, once that is known.
  var memory: ClientMemory?

  /// `nil` when there is nothing to keep: no object is made then.
  static func of(_ image: face_image) -> PixelKeeper? {
    image.release != nil || image.memory != nil ? PixelKeeper(image) : nil
  }

  private init(_ image: face_image) {
    release = image.release
    releaseData = image.release_data
  }

  deinit { release?(releaseData) }
}

/// Memory for copies of a caller's frames, used again and again.
final class FrameCopies: ImageCopier {
  /// Memory for one frame. Whoever reads the frame has a reference; with none but that in the list it is free.
  private final class Copy: @unchecked Sendable {
    // Written by who took it, read while the frame is searched; one after the other.
    let memory: HeapMemory

    init(byteCount: Int) throws(Status) { memory = try HeapMemory(byteCount: byteCount) }
  }

  private let copies = Monitor<[Copy]>([])

  func copy(_ image: ImageInput) throws(Status) -> HeldImage {
    let copy = try take(image.packedByteCount)
    return HeldImage(try image.copied(into: copy.memory.bytes), keptBy: copy)
  }

  private func take(_ byteCount: Int) throws(Status) -> Copy {
    let free = copies.withLock { copies -> Copy? in
      for index in copies.indices where isKnownUniquelyReferenced(&copies[index]) {
        if copies[index].memory.bytes.count >= byteCount { return copies[index] }
        // Too small for what comes now: not kept.
        copies.remove(at: index)
        return nil
      }
      return nil
    }
    if let free { return free }
    let fresh = try Copy(byteCount: byteCount)
    copies.withLock { $0.append(fresh) }
    return fresh
  }
}
