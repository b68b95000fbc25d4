// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

/// What a `face_canceller` stands for.
final class CancellerBox: Sendable {
}

@c @implementation
public func face_canceller_create(_ out_canceller: UnsafeMutablePointer<OpaquePointer?>!) -> face_status {
  LastError.catching { () throws(Status) in
    try give(out_canceller, "out_canceller", of: Handles.cancellers) { CancellerBox() }
  }
}

@c @implementation
public func face_canceller_cancel(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in
    _ = try Handles.cancellers.get(handle, "canceller")
    throw Status(.unimplemented, "cancelling is not there yet")
  }
}

@c @implementation
public func face_canceller_destroy(_ handle: OpaquePointer!) {
  _ = Handles.cancellers.remove(handle)
}
