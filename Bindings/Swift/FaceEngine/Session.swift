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
}

protocol SessionListener: AnyObject, Sendable {
  /// Called on the session's thread.
  func session(_ event: SessionEvent)
}

/// A `face_session`, and what it calls.
final class Session: Sendable {
  /// The functions for it may be called from any thread.
  private struct Handle: @unchecked Sendable { let c: OpaquePointer? }

  private final class Target: Sendable {
    let listener: any SessionListener

    init(_ listener: any SessionListener) { self.listener = listener }
  }

  /// A reference that C holds.
  private struct Retained: @unchecked Sendable {
    let place: UnsafeMutableRawPointer

    init(_ target: Target) { place = Unmanaged.passRetained(target).toOpaque() }

    func release() { Unmanaged<Target>.fromOpaque(place).release() }
  }

  private let handle: Handle
  private let canceller: Canceller
  /// Called once, when the session is cancelled.
  let onCancel = Monitor<(@Sendable () -> Void)?>(nil)

  /// Called once, when the session is closed.
  private let onClose = Monitor<(@Sendable () -> Void)?>(nil)

  /// - Parameter canceller: that of the session's options.
  init(_ c: OpaquePointer?, _ canceller: Canceller) {
    handle = Handle(c: c)
    self.canceller = canceller
  }

  deinit { close() }

  /// Binds a listener, which lives until the session is closed.
  func bind(_ listener: any SessionListener) throws(FaceError) {
    var c = face_listener()
    face_listener_init(&c)
    let target = Retained(Target(listener))
    c.user_data = target.place
    c.on_faces = { _, result, target in Session.report(.faces(Faces(reading: result)), to: target) }
    c.on_dropped = { _, _, target in Session.report(.dropped, to: target) }
    c.on_failed = { _, status, message, target in
      let error = FaceError(Status(rawValue: status) ?? .unknown, message.map { String(cString: $0) } ?? "")
      Session.report(.failed(error), to: target)
    }
    c.on_left = { _, id, target in Session.report(.left(id), to: target) }
    c.on_check = { _, check, target in
      if let check { Session.report(.check(CheckEvent(check.pointee)), to: target) }
    }
    do throws(FaceError) { try check(face_session_bind_listener(handle.c, &c)) } catch {
      target.release()
      throw error
    }
    onClose.withLock { $0 = { target.release() } }
  }

  private static func report(_ event: SessionEvent, to target: UnsafeMutableRawPointer?) {
    guard let target else { return }
    Unmanaged<Target>.fromOpaque(target).takeUnretainedValue().listener.session(event)
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

  /// Ends submissions, and frames that are searched.
  func cancel() {
    canceller.cancel()
    let onCancel = onCancel.withLock { $0.take() }
    onCancel?()
  }

  /// Closes the session; waits for a callback that runs. Another time it does nothing.
  func close() {
    face_session_close(handle.c)
    let onClose = onClose.withLock { $0.take() }
    onClose?()
  }
}
