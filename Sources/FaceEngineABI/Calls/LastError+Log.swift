import CFaceEngine
import FaceCore

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
