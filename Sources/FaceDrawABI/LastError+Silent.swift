import CFaceEngine
import CallerABI
import FaceCore

extension LastError {
  /// Runs the body of one exported call; nobody else is told of what it throws.
  static func catching(_ body: () throws(Status) -> Void) -> face_status {
    catching(body, else: { _ in })
  }
}
