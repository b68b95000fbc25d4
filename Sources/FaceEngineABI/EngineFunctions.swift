// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import Client
import Engine
import FaceCore
import Posix

/// What a `face_engine` stands for.
final class EngineBox: Sendable {
  let detector: any FaceDetector
  let listener = ListenerSlot()

  init(_ detector: any FaceDetector) {
    self.detector = detector
  }
}

let engines = HandleTable<EngineBox>(kind: 1)

func engine(_ handle: OpaquePointer?) throws(Status) -> EngineBox {
  guard let box = engines[handle] else {
    throw Status(
      .invalidArgument,
      handle == nil
        ? "engine is NULL; load a model or connect first" : "engine was released, or is not a face_engine")
  }
  return box
}

private func open(
  _ out: UnsafeMutablePointer<OpaquePointer?>?, _ make: () throws(Status) -> any FaceDetector
) -> face_status {
  LastError.catching { () throws(Status) in
    guard let out else { throw Status(.invalidArgument, "out_engine is NULL; give a place for the engine") }
    out.pointee = engines.insert(EngineBox(try make()))
  }
}

@c @implementation
public func face_load_model(
  _ model_dir: UnsafePointer<CChar>!, _ out_engine: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  open(out_engine) { () throws(Status) in
    try Engine(modelFolder: try text(model_dir, name: "model_dir"))
  }
}

@c @implementation
public func face_connect(
  _ socket_path: UnsafePointer<CChar>!, _ out_engine: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  open(out_engine) { () throws(Status) in
    if let socket_path { return try Client(socket: try text(socket_path, name: "socket_path")) }
    return try Client(socket: try SocketPath.standard().description)
  }
}

@c @implementation
public func face_release(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in
    guard handle != nil else { return }
    let box = try engine(handle)
    guard !box.listener.isCaller else {
      throw Status(
        .failedPrecondition, "an engine cannot be released from inside its listener; do it after it returned")
    }
    // Calls in flight hold the box themselves; the last of them frees it.
    _ = engines.remove(handle)
    try box.listener.bind(nil)
  }
}

@c @implementation
public func face_bind_listener(
  _ handle: OpaquePointer!, _ listener: UnsafePointer<face_listener>!
) -> face_status {
  LastError.catching { () throws(Status) in
    var value = face_listener()
    try VersionedStruct.read(listener, into: &value, name: "listener")
    try engine(handle).listener.bind(value)
  }
}

@c @implementation
public func face_unbind_listener(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in try engine(handle).listener.bind(nil) }
}

@c @implementation
public func face_listener_init_sized(_ listener: UnsafeMutablePointer<face_listener>!, _ size: Int) {
  VersionedStruct.initialize(listener, to: face_listener(), size: size)
}

private func text(_ pointer: UnsafePointer<CChar>?, name: String) throws(Status) -> String {
  guard let pointer else { throw Status(.invalidArgument, "\(name) is NULL; give a path") }
  guard let text = String(validatingCString: pointer), !text.isEmpty else {
    throw Status(.invalidArgument, "\(name) is empty or not UTF-8; give a path")
  }
  return text
}
