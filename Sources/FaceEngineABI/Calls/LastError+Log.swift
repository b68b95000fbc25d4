import CFaceEngine
import FaceCore

extension LastError {
  /// Runs the body of one exported call; the log is told of what it throws.
  static func catching(_ call: StaticString = #function, _ body: () throws(Status) -> Void) -> face_status {
    catching(body, else: { status in Log.debug("\(call) ended with \(status)") })
  }
}
