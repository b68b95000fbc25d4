public import FaceCore
import Posix

/// Calls within bounds, which are looked at between the stages of the work and between faces: what runs comes to its end.
extension Engine {
  /// Throws also `deadlineExceeded` and `cancelled`.
  /// - Parameters:
  ///   - timeout: nanoseconds for this call; 0 for as long as it takes.
  ///   - canceller: ends the call from another thread.
  public func detect(
    _ image: ImageInput, options: DetectionOptions, timeout: Int64, canceller: Canceller? = nil
  ) throws(Status) -> DetectionResult {
    try detect(image, options: options, Bounds.of(timeout, canceller))
  }

  /// Finds the faces of each image; the outcomes are in the images' order, and an image that fails fails alone.
  ///
  /// Throws what concerns all of them: wrong options, and bounds that were reached.
  /// - Parameters:
  ///   - timeout: nanoseconds for all images together; 0 for as long as it takes.
  ///   - canceller: ends the call from another thread.
  public func detectBatch(
    _ images: [ImageInput], options: DetectionOptions, timeout: Int64, canceller: Canceller? = nil
  ) throws(Status) -> [Result<DetectionResult, Status>] {
    try options.check()
    let bounds = Bounds.of(timeout, canceller)
    var outcomes: [Result<DetectionResult, Status>] = []
    for image in images {
      do throws(Status) {
        outcomes.append(.success(try detect(image, options: options, bounds)))
      } catch {
        try bounds?.check()
        outcomes.append(.failure(error))
      }
    }
    return outcomes
  }

  private func detect(
    _ image: ImageInput, options: DetectionOptions, _ bounds: Bounds?
  ) throws(Status) -> DetectionResult {
    guard let bounds else { return try detect(image, options: options) }
    try bounds.check()
    var image = image
    image.checkpoint = bounds
    let result = try detect(image, options: options)
    try bounds.check()
    return result
  }
}

/// What ends a call.
private final class Bounds: Checkpoint {
  private let deadline: MonotonicTime
  private let canceller: Canceller?

  /// `nil` where nothing does: no object is made then.
  static func of(_ timeout: Int64, _ canceller: Canceller?) -> Bounds? {
    timeout != 0 || canceller != nil ? Bounds(timeout, canceller) : nil
  }

  private init(_ timeout: Int64, _ canceller: Canceller?) {
    deadline = timeout == 0 ? .never : MonotonicTime.now().advanced(byNanoseconds: timeout)
    self.canceller = canceller
  }

  func check() throws(Status) {
    if canceller?.isCancelled == true { throw Canceller.status }
    guard deadline == .never || MonotonicTime.now() < deadline else {
      throw Status(
        .deadlineExceeded, "the call took longer than its timeout; allow more, or set a max side")
    }
  }
}
