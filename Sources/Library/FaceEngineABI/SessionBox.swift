import CFaceEngine
import Client
import FaceCore
import Posix

/// The object behind a `face_session`: a stream of the engine and its listener.
final class SessionBox: Sendable {
  private struct Progress {
    var submitted: UInt64 = 0
    var answered: UInt64 = 0
    var isClosed = false
  }

  /// The data used by the stream's thread. Separate from the session, so that the thread does not keep the
  /// session alive.
  private final class Events: Sendable {
    let listener = ListenerSlot()
    let progress = Monitor(Progress())
    let changed = Condition()

    func deliver(_ event: FrameEvent) {
      listener.deliver(event)
      event.check?.wipePictures()
      progress.withLock { $0.answered = event.frame.number }
      changed.wakeAll()
    }
  }

  /// The engine, kept alive by its sessions.
  private let engine: EngineBox
  private let stream: any FrameStream
  private let mode: StreamMode
  private let isCheck: Bool
  private let keepsBest: Bool
  private let canceller: Canceller?
  private let events: Events
  private let copies = FrameCopies()
  private let privacy: MemoryPrivacy?
  /// The process that opened the session. A child of fork() has no detection thread.
  private let process = CurrentProcess.id

  init(_ engine: EngineBox, _ options: StreamOptions) throws(Status) {
    let events = Events()
    self.engine = engine
    self.events = events
    mode = options.mode
    canceller = options.canceller
    isCheck = options.check != nil
    keepsBest = options.best != nil
    privacy = isCheck || keepsBest ? MemoryPrivacy() : nil
    stream = try engine.openStream(options) { event in events.deliver(event) }
  }

  func bind(_ listener: face_listener?) throws(Status) {
    try checkProcess()
    try events.listener.bind(listener)
  }

  /// Submits a frame. Pixels that the library does not own are copied.
  /// - Returns: the frame's number.
  func submit(_ image: CallerImage) throws(Status) -> UInt64 {
    try checkProcess()
    if canceller?.isCancelled == true { throw Canceller.status }
    guard mode == .newest || !events.listener.isCaller else {
      throw Status(
        .failedPrecondition,
        "a session that drops no frames cannot submit from inside its listener; submit after the listener returned"
      )
    }
    let held =
      if let keeper = image.keeper { HeldImage(image.input, keptBy: keeper) } else {
        HeldImage(borrowing: image.input, copiedBy: copies)
      }
    let number = try engine.call { () throws(Status) in
      try stream.submit(held, timestamp: image.timestamp)
    }
    events.progress.withLock { $0.submitted = max($0.submitted, number) }
    return number
  }

  /// Waits until every frame submitted before has had its event.
  /// - Parameter timeout: 0 for no limit.
  func flush(_ timeout: TimeSpan) throws(Status) {
    try checkProcess()
    try checkNotInListener("wait for its own events")
    let deadline = MonotonicTime.deadline(after: timeout)
    let last = events.progress.withLock { $0.submitted }
    let isDone = events.progress.wait(for: events.changed, until: deadline) { progress -> Bool? in
      progress.answered >= last || progress.isClosed ? true : nil
    }
    guard isDone == true else {
      throw Status(
        .deadlineExceeded, "not all frames were answered in time; wait longer, or close the session")
    }
  }

  /// - Returns: the id of the face.
  func follow(_ box: Box) throws(Status) -> UInt64 {
    try checkProcess()
    return try stream.follow(box)
  }

  /// Calls the listener with the best picture of a face, or with those of all faces.
  func deliverBest(of id: UInt64?) throws(Status) {
    try checkProcess()
    guard keepsBest else {
      throw Status(.failedPrecondition, "this session keeps no pictures; open one with best_size")
    }
    let pictures = stream.bestPictures(of: id)
    if let id, pictures.isEmpty {
      throw Status(.notFound, "there is no picture of face \(id); use the id of a face that the session follows now")
    }
    events.listener.deliver(pictures)
  }

  func restartCheck() throws(Status) {
    try checkProcess()
    guard isCheck else {
      throw Status(.failedPrecondition, "this session is not a guided check; open one with face_check_open")
    }
    copies.removeAll()
    stream.restartCheck()
  }

  /// Throws if `close` is not allowed now.
  func checkClosable() throws(Status) {
    try checkProcess()
    try checkNotInListener("be closed")
  }

  func close() throws(Status) {
    stream.close()
    events.progress.withLock { $0.isClosed = true }
    events.changed.wakeAll()
    try events.listener.bind(nil)
    copies.removeAll()
    if isCheck { CurrentProcess.returnFreedMemory() }
  }

  private func checkNotInListener(_ what: StaticString) throws(Status) {
    guard !events.listener.isCaller else {
      throw Status(
        .failedPrecondition,
        "a session cannot \(what) from inside its listener; do that after the listener returned")
    }
  }

  private func checkProcess() throws(Status) {
    guard process == CurrentProcess.id else {
      throw Status(
        .failedPrecondition, "this session belongs to the process that forked; open another in this process")
    }
  }
}

/// Copies a caller's frames into memory that is reused.
final class FrameCopies: ImageCopier {
  /// Memory for one frame, free for reuse when only the list refers to it.
  private final class Copy: @unchecked Sendable {
    // Written by the submitting thread, then read while the frame is searched.
    let memory: HeapMemory

    init(byteCount: Int) throws(Status) { memory = try HeapMemory(byteCount: byteCount) }
  }

  private let copies = Monitor<[Copy]>([])

  func copy(_ image: ImageInput) throws(Status) -> HeldImage {
    let copy = try freeCopy(image.packedByteCount)
    return HeldImage(try image.copied(into: copy.memory.bytes), keptBy: copy)
  }

  /// Releases the memory, that of frames in use with them.
  func removeAll() { copies.withLock { $0 = [] } }

  private func freeCopy(_ byteCount: Int) throws(Status) -> Copy {
    let free = copies.withLock { copies -> Copy? in
      for index in copies.indices where isKnownUniquelyReferenced(&copies[index]) {
        if copies[index].memory.bytes.count >= byteCount { return copies[index] }
        // Too small: frames have grown.
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

extension CheckReport {
  /// Overwrites the pictures of a result, which the listener only borrowed and nothing else has.
  fileprivate func wipePictures() {
    for case .result(let result) in events {
      for picture in [result.picture, result.crop] {
        picture.bytes.withUnsafeBytes { bytes in
          _ = UnsafeMutableRawBufferPointer(mutating: bytes).initializeMemory(as: UInt8.self, repeating: 0)
        }
      }
    }
  }
}
