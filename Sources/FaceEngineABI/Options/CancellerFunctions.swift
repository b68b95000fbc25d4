// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_canceller_create(_ out_canceller: UnsafeMutablePointer<OpaquePointer?>!) -> face_status {
  LastError.catching { () throws(Status) in
    try give(out_canceller, "out_canceller", of: Handles.cancellers) { Canceller() }
  }
}

@c @implementation
public func face_canceller_cancel(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.cancellers.get(handle, "canceller").cancel()
  }
}

@c @implementation
public func face_canceller_destroy(_ handle: OpaquePointer!) {
  _ = Handles.cancellers.remove(handle)
}
