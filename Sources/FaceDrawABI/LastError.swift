import CFaceEngine
import CallerABI
import FaceCore
import Posix

/// The sentence behind `face_draw_last_error`, one a thread.
enum LastError {
  private static let text = ThreadLocalText()
  private static let none: StaticString = ""

  static var value: UnsafePointer<CChar> { text.value ?? none.cString }

  /// Runs the body of one exported call; what it throws becomes the call's status and the thread's last error.
  static func catching(_ body: () throws(Status) -> Void) -> face_status {
    do {
      try body()
      return StatusCode.ok.rawValue
    } catch {
      text.set(error.message)
      return error.code.rawValue
    }
  }
}
