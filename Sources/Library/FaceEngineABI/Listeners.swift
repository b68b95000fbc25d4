// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore
import Posix

@c @implementation
public func face_listener_init_sized(_ listener: UnsafeMutablePointer<face_listener>!, _ size: Int) {
  VersionedStruct.initialize(listener, size: size)
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
    self = try VersionedStruct.read(pointer, name: "listener")
    try unused(reserved, "listener->reserved")
  }
}

/// Holds the listener of one engine or session, and calls it from one thread at a time.
final class ListenerSlot: Sendable {
  /// The host's functions and its pointer.
  private struct Listener: @unchecked Sendable {
    // The host promised that its pointer may be handed to its functions on any thread.
    let functions: face_listener
  }

  private struct State {
    var listener: Listener?
    /// The thread inside a callback, and the nesting depth of its callbacks.
    var caller: (thread: ThreadOfProcess, depth: Int)?
  }

  private let state = Monitor(State())
  private let becameFree = Condition()

  /// Whether the calling thread is inside a callback of this slot.
  var isCaller: Bool {
    let current = ThreadOfProcess.current
    return state.withLock { $0.caller?.thread == current }
  }

  /// Waits until no callback is running, and replaces the listener; `nil` unbinds it.
  func bind(_ listener: face_listener?) throws(Status) {
    let current = ThreadOfProcess.current
    try state.wait(for: becameFree) { (state) throws(Status) -> Void? in
      if let caller = state.caller {
        guard caller.thread != current else {
          throw Status(
            .failedPrecondition,
            "a listener cannot bind or unbind from inside its callback; do that after the callback returned")
        }
        if caller.thread.isInThisProcess { return nil }
      }
      state = State(listener: listener.map(Listener.init), caller: nil)
    }
  }

  /// Calls the listener's functions for an event, if one is bound. Waits while another thread is inside a
  /// callback.
  func deliver(_ event: FrameEvent) {
    call { functions in event.notify(functions) }
  }

  /// Calls the listener's `on_best` for each picture, if one is bound. Waits as `deliver` does.
  func deliver(_ pictures: [BestPicture]) {
    call { functions in for picture in pictures { picture.notify(functions) } }
  }

  /// Calls `notify` with the listener's functions, if one is bound. Waits while another thread is inside a callback.
  private func call(_ notify: (face_listener) -> Void) {
    let current = ThreadOfProcess.current
    let bound = state.wait(for: becameFree) { state -> Listener?? in
      if let caller = state.caller, caller.thread != current, caller.thread.isInThisProcess { return nil }
      guard let listener = state.listener else { return .some(nil) }
      let depth = state.caller?.thread == current ? state.caller?.depth ?? 0 : 0
      state.caller = (current, depth + 1)
      return listener
    }
    guard let listener = bound ?? nil else { return }
    notify(listener.functions)
    state.withLock { state in
      guard let caller = state.caller else { return }
      state.caller = caller.depth > 1 ? (caller.thread, caller.depth - 1) : nil
    }
    becameFree.wakeAll()
  }
}

extension FrameEvent {
  /// Calls the listener's functions for this event.
  func notify(_ functions: face_listener) {
    var info = face_frame()
    info.struct_size = UInt32(MemoryLayout<face_frame>.stride)
    info.number = frame.number
    info.timestamp_ns = frame.timestamp
    var found: DetectionResult?
    switch outcome {
    case .faces(let result):
      found = result
      if let function = functions.on_faces {
        // Valid until the callback returns.
        let handle = Handles.results.insert(ResultBox(.success(result)))
        function(&info, handle, functions.user_data)
        _ = Handles.results.remove(handle)
      }
    case .dropped(let total):
      functions.on_dropped?(&info, total, functions.user_data)
    case .failed(let status):
      if let function = functions.on_failed {
        status.message.withCString { function(&info, status.code.rawValue, $0, functions.user_data) }
      }
    }
    if let function = functions.on_left {
      for id in left { function(&info, id, functions.user_data) }
    }
    for picture in best { picture.notify(functions) }
    check?.notify(functions, &info, found)
  }
}

extension BestPicture {
  /// Calls the listener's `on_best`, if it has one.
  fileprivate func notify(_ functions: face_listener) {
    guard let function = functions.on_best else { return }
    var info = face_frame()
    info.struct_size = UInt32(MemoryLayout<face_frame>.stride)
    (info.number, info.timestamp_ns) = (frame, timestamp)
    var best = face_best()
    best.struct_size = UInt32(MemoryLayout<face_best>.stride)
    best.left = hasLeft ? 1 : 0
    (best.face_id, best.score, best.crop_box) = (id, score, face_box(cropBox))
    // Valid until the callback returns, as the crop is.
    let result = DetectionResult(imageSize: imageSize, faces: [face])
    best.faces = Handles.results.insert(ResultBox(.success(result)))
    crop.withFaceImage { image in
      best.crop = image
      function(&info, &best, functions.user_data)
    }
    _ = Handles.results.remove(best.faces)
  }
}

extension CropPixels {
  /// Calls `body` with the crop as a `face_image`, which is valid until `body` returns.
  fileprivate func withFaceImage(_ body: (UnsafePointer<face_image>) -> Void) {
    var image = face_image(pixels: bytes, size)
    body(&image)
    extendLifetime(self)
  }
}
