public import FaceCore
import Posix

extension Engine {
  /// Detects within bounds, which are looked at between the stages of the work: one that runs comes to its end.
  ///
  /// Throws `deadlineExceeded` and `cancelled`.
  /// - Parameters:
  ///   - timeout: nanoseconds for this call; 0 for as long as it takes.
  ///   - canceller: ends the call from another thread.
  public func detect(
    _ image: ImageInput, options: DetectionOptions, timeout: Int64, canceller: Canceller?
  ) throws(Status) -> DetectionResult {
    let deadline = timeout == 0 ? MonotonicTime.never : MonotonicTime.now().advanced(byNanoseconds: timeout)
    func check() throws(Status) {
      if canceller?.isCancelled == true { throw Canceller.status }
      guard deadline == .never || MonotonicTime.now() < deadline else {
        throw Status(.deadlineExceeded, "the call took longer than its timeout; allow more, or set a max side")
      }
    }
    try check()
    let result = try detect(image, options: options)
    try check()
    return result
  }
}
