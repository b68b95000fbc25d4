import CFaceEngine
import FaceCore
import Posix

/// The listener of one engine, called by one thread at a time.
final class ListenerSlot: Sendable {
  private struct State {
    var listener: Listener?
    /// The thread inside a callback, with how many it is inside of.
    var caller: (thread: ThreadIdentity, depth: Int)?
  }

  private struct Listener: @unchecked Sendable {
    // The host promised that its pointer may be handed to its function on any thread.
    let onFaces: @convention(c) (UnsafePointer<face_frame>?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let userData: UnsafeMutableRawPointer?
  }

  private let state = Monitor(State())
  private let becameFree = Condition()

  /// Whether the calling thread is inside this engine's callback.
  var isCaller: Bool {
    state.withLock { $0.caller?.thread == .current }
  }

  /// Puts `listener`, or none, in place of the one bound, once no callback is running.
  func bind(_ listener: face_listener?) throws(Status) {
    guard !isCaller else {
      throw Status(
        .failedPrecondition,
        "a listener cannot bind or unbind from inside its callback; do it after it returned")
    }
    let bound = listener.flatMap { listener in
      listener.on_faces.map { Listener(onFaces: $0, userData: listener.user_data) }
    }
    _ = state.wait(for: becameFree) { state -> Void? in
      guard state.caller == nil else { return nil }
      state.listener = bound
    }
  }

  /// Calls the listener, where there is one, with a handle that is valid for the callback only.
  func deliver(_ result: DetectionResult) {
    guard let listener = enter() else { return }
    let handle = results.insert(ResultBox(result))
    var frame = face_frame()
    frame.struct_size = UInt32(MemoryLayout<face_frame>.stride)
    listener.onFaces(&frame, handle, listener.userData)
    _ = results.remove(handle)
    leave()
  }

  private func enter() -> Listener? {
    let current = ThreadIdentity.current
    let entered = state.wait(for: becameFree) { state -> Listener?? in
      if let caller = state.caller, caller.thread != current { return nil }
      guard let listener = state.listener else { return .some(nil) }
      state.caller = (current, (state.caller?.depth ?? 0) + 1)
      return listener
    }
    return entered ?? nil
  }

  private func leave() {
    state.withLock { state in
      guard let caller = state.caller else { return }
      state.caller = caller.depth > 1 ? (caller.thread, caller.depth - 1) : nil
    }
    becameFree.wakeAll()
  }
}
