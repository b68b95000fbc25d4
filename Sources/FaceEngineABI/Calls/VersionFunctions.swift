// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_abi_version() -> UInt32 {
  UInt32(FACE_ABI_VERSION)
}

@c @implementation
public func face_version_string() -> UnsafePointer<CChar>! {
  EngineVersion.text.cString
}

@c @implementation
public func face_status_name(_ status: face_status) -> UnsafePointer<CChar>! {
  (StatusCode(rawValue: status) ?? .unknown).name.cString
}

@c @implementation
public func face_last_error() -> UnsafePointer<CChar>! {
  LastError.value
}
