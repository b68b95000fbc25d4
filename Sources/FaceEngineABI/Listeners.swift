// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore
import Posix

@c @implementation
public func face_listener_init_sized(_ listener: UnsafeMutablePointer<face_listener>!, _ size: Int) {
  VersionedStruct.initialize(listener, to: face_listener(), size: size)
}

@c @implementation
public func face_bind_listener(
  _ handle: OpaquePointer!, _ listener: UnsafePointer<face_listener>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let engine = try Handles.engines.get(handle, "engine")
    try engine.listener.bind(try face_listener(reading: listener))
  }
}

@c @implementation
public func face_unbind_listener(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.engines.get(handle, "engine").listener.bind(nil)
  }
}

extension face_listener {
  init(reading pointer: UnsafePointer<face_listener>?) throws(Status) {
    self.init()
    try VersionedStruct.read(pointer, into: &self, name: "listener")
    guard reserved == 0 else {
      throw Status(
        .invalidArgument, "listener->reserved is \(reserved); call face_listener_init before use")
    }
  }
}

/// The listener of one engine or session, called by one thread at a time.
final class ListenerSlot: Sendable {
  /// The host's functions, and what is handed back to them.
  private struct Listener: @unchecked Sendable {
    // The host promised that its pointer may be handed to its functions on any thread.
    let functions: face_listener
  }

  private struct State {
    var listener: Listener?
    /// The thread inside a callback, with how many it is inside of.
    var caller: (thread: ThreadOfProcess, depth: Int)?
  }

  private let state = Monitor(State())
  private let becameFree = Condition()

  /// Whether the calling thread is inside a callback of this slot.
  var isCaller: Bool {
    let current = ThreadOfProcess.current
    return state.withLock { $0.caller?.thread == current }
  }

  /// Puts `listener`, or none, in place of the one bound, once no callback is running.
  func bind(_ listener: face_listener?) throws(Status) {
    let current = ThreadOfProcess.current
    try state.wait(for: becameFree) { (state) throws(Status) -> Void? in
      if let caller = state.caller {
        guard caller.thread != current else {
          throw Status(
            .failedPrecondition,
            "a listener cannot bind or unbind from inside its callback; do it after it returned")
        }
        if caller.thread.isInThisProcess { return nil }
      }
      state = State(listener: listener.map(Listener.init), caller: nil)
    }
  }

  /// Tells the listener, where there is one.
  func deliver(_ event: FrameEvent) {
    guard let functions = enter()?.functions else { return }
    event.tell(functions)
    leave()
  }

  private func enter() -> Listener? {
    let current = ThreadOfProcess.current
    let entered = state.wait(for: becameFree) { state -> Listener?? in
      if let caller = state.caller, caller.thread != current, caller.thread.isInThisProcess { return nil }
      guard let listener = state.listener else { return .some(nil) }
      let depth = state.caller?.thread == current ? state.caller?.depth ?? 0 : 0
      state.caller = (current, depth + 1)
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

extension FrameEvent {
  /// Calls a listener's functions.
  func tell(_ functions: face_listener) {
    var told = face_frame()
    told.struct_size = UInt32(MemoryLayout<face_frame>.stride)
    told.number = frame.number
    told.timestamp_ns = frame.timestamp
    var found: DetectionResult?
    switch outcome {
    case .faces(let result):
      found = result
      if let function = functions.on_faces {
        // A handle that is valid for the callback only.
        let handle = Handles.results.insert(ResultBox(result))
        function(&told, handle, functions.user_data)
        _ = Handles.results.remove(handle)
      }
    case .dropped(let total):
      functions.on_dropped?(&told, total, functions.user_data)
    case .failed(let status):
      if let function = functions.on_failed {
        status.message.withCString { function(&told, status.code.rawValue, $0, functions.user_data) }
      }
    }
    if let function = functions.on_left {
      for id in left { function(&told, id, functions.user_data) }
    }
    check?.tell(functions, &told, found)
  }
}
