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

extension LastError {
  /// Runs the body of one exported call; the log is told of what it throws.
  static func catching(_ call: StaticString = #function, _ body: () throws(Status) -> Void) -> face_status {
    catching(body, else: { status in Log.debug("\(name(of: call)) ended with \(status)") })
  }

  /// As C knows it: without the parentheses of Swift's name.
  private static func name(of call: StaticString) -> String {
    let name = UnsafeBufferPointer(start: call.utf8Start, count: call.utf8CodeUnitCount)
    return String(decoding: name.prefix { $0 != UInt8(ascii: "(") }, as: UTF8.self)
  }
}
