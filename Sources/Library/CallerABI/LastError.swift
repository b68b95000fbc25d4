public import CFaceEngine
public import FaceCore
import Posix

/// The message returned by a library's `..._last_error`, one per thread. Each library has its own copy of
/// this code and of the message.
public enum LastError {
  private static let none: StaticString = ""

  public static var message: UnsafePointer<CChar> { ThreadLocalText.value ?? none.cString }

  /// Stores the message of a failed call for the calling thread.
  /// - Returns: the call's status.
  private static func record(_ error: Status) -> face_status {
    ThreadLocalText.set(error.message)
    return error.code.rawValue
  }

  /// Runs the body of an exported function that returns a status. An error becomes the status and the
  /// thread's last error.
  /// - Parameter failed: called with the error after it was recorded.
  public static func status(
    of body: () throws(Status) -> Void, failed: (Status) -> Void = { _ in }
  ) -> face_status {
    Thread.withoutCancellation {
      do throws(Status) {
        try body()
        return StatusCode.ok.rawValue
      } catch {
        let status = record(error)
        failed(error)
        return status
      }
    }
  }
}
