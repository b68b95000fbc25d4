import Client
import Engine
import FaceCore

/// What a `face_engine` can do, loaded or connected.
protocol CallableEngine: FaceDetector {
  /// - Parameter timeout: nanoseconds for this call; 0 for as long as it takes.
  func detect(
    _ image: ImageInput, options: DetectionOptions, timeout: Int64, canceller: Canceller?
  ) throws(Status) -> DetectionResult
}

extension Engine: CallableEngine {}

extension Client: CallableEngine {
  // Goes when the client takes cancellers itself.
  func detect(
    _ image: ImageInput, options: DetectionOptions, timeout: Int64, canceller: Canceller?
  ) throws(Status) -> DetectionResult {
    if canceller?.isCancelled == true { throw Canceller.status }
    return try detect(image, options: options, timeout: timeout)
  }
}
