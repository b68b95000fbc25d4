// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

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
