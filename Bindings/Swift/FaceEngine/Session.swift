internal import CFaceEngine

/// What a session reports, in the order of its frames.
enum SessionEvent {
  /// A frame ends with one of these three.
  case faces(Faces)
  case failed(FaceError)
  case dropped
  /// What follows the faces of a frame.
  case left(UInt64)
  case check(CheckEvent)
  case best(BestPicture)
}

/// What C calls, by a reference that it holds.
final class Listener: Sendable {
  private let report: @Sendable (SessionEvent) -> Void

  /// - Parameter report: called on the session's thread, or on that of the call.
  init(_ report: @escaping @Sendable (SessionEvent) -> Void) { self.report = report }

  /// - Parameter listener: lives as long as C calls it.
  static func c(_ listener: Unmanaged<Listener>) -> face_listener {
    var c = face_listener()
    face_listener_init(&c)
    c.user_data = listener.toOpaque()
    c.on_faces = { _, result, listener in Listener.report(.faces(Faces(reading: result)), to: listener) }
    c.on_dropped = { _, _, listener in Listener.report(.dropped, to: listener) }
    c.on_failed = { _, status, message, listener in
      Listener.report(.failed(FaceError(status, message)), to: listener)
    }
    c.on_left = { _, id, listener in Listener.report(.left(id), to: listener) }
    c.on_check = { _, check, listener in
      if let check { Listener.report(.check(CheckEvent(check.pointee)), to: listener) }
    }
    c.on_best = { frame, best, listener in
      if let frame, let best, let picture = BestPicture(frame.pointee, best.pointee) {
        Listener.report(.best(picture), to: listener)
      }
    }
    return c
  }

  private static func report(_ event: SessionEvent, to listener: UnsafeMutableRawPointer?) {
    guard let listener else { return }
    Unmanaged<Listener>.fromOpaque(listener).takeUnretainedValue().report(event)
  }
}

/// A `face_session`, and what it calls.
final class Session: Sendable {
  private let handle: Handle
  private let canceller: Canceller
  /// Lives until the session is closed.
  private let listener = Monitor<Unmanaged<Listener>?>(nil)

  /// - Parameters:
  ///   - canceller: that of the session's options.
  ///   - open: opens the session.
  init(
    _ canceller: Canceller, _ open: (inout OpaquePointer?) throws(FaceError) -> Void
  ) throws(FaceError) {
    handle = try Handle(face_session_close, open)
    self.canceller = canceller
  }

  deinit { close() }

  func bind(_ report: @escaping @Sendable (SessionEvent) -> Void) throws(FaceError) {
    let bound = Unmanaged.passRetained(Listener(report))
    listener.withLock { $0 = bound }
    var c = Listener.c(bound)
    try check(face_session_bind_listener(handle.c, &c))
  }

  func submit(_ image: Image) throws(FaceError) {
    try image.withC(keeps: true) { image throws(FaceError) in
      try check(face_session_submit(handle.c, image, nil))
    }
  }

  func follow(_ box: Box) throws(FaceError) -> UInt64 {
    var (box, id) = (box.c, UInt64(0))
    try check(face_session_follow(handle.c, &box, &id))
    return id
  }

  /// Reports the best pictures of all faces in view: calls the listener before it returns.
  func reportBest() throws(FaceError) { try check(face_session_best(handle.c, 0)) }

  /// Ends submissions, and frames that are searched.
  func cancel() { canceller.cancel() }

  /// Closes the session; waits for a callback that runs. Another time it does nothing.
  func close() {
    face_session_close(handle.c)
    listener.withLock { $0.take() }?.release()
  }
}
