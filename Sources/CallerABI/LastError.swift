public import CFaceEngine
public import FaceCore
import Posix

/// The sentence behind a library's `..._last_error`, one a thread. Each library has this code, and with it its own sentence.
public enum LastError {
  private static let text = ThreadLocalText()
  private static let none: StaticString = ""

  public static var value: UnsafePointer<CChar> { text.value ?? none.cString }

  /// Runs the body of one exported call; what it throws becomes the call's status and the thread's last error.
  /// - Parameter note: told of that, too.
  public static func catching(
    _ body: () throws(Status) -> Void, else note: (Status) -> Void
  ) -> face_status {
    do {
      try body()
      return StatusCode.ok.rawValue
    } catch {
      text.set(error.message)
      note(error)
      return error.code.rawValue
    }
  }
}
