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
  LastError.message
}

extension LastError {
  /// Does what `status(of:)` does, and logs an error.
  static func catching(
    _ function: StaticString = #function, _ body: () throws(Status) -> Void
  ) -> face_status {
    status(of: body) { error in Log.debug("\(name(of: function)) ended with \(error)") }
  }

  /// The function's name in C: Swift's without the parentheses.
  private static func name(of function: StaticString) -> String {
    let name = UnsafeBufferPointer(start: function.utf8Start, count: function.utf8CodeUnitCount)
    return String(decoding: name.prefix { $0 != UInt8(ascii: "(") }, as: UTF8.self)
  }
}
