import Client
import Engine
import FaceCore

/// What a `face_engine` can do, loaded or connected.
protocol CallableEngine: StreamingDetector {
  /// - Parameter timeout: nanoseconds for this call; 0 for as long as it takes.
  func detect(
    _ image: ImageInput, options: DetectionOptions, timeout: Int64, canceller: Canceller?
  ) throws(Status) -> DetectionResult

  /// As many outcomes as images, in their order. Throws what concerns all of them.
  func detectBatch(
    _ images: [ImageInput], options: DetectionOptions, timeout: Int64, canceller: Canceller?
  ) throws(Status) -> [Result<DetectionResult, Status>]
}

extension Engine: CallableEngine {}

extension Client: CallableEngine {
  func detectBatch(
    _ images: [ImageInput], options: DetectionOptions, timeout: Int64, canceller: Canceller?
  ) throws(Status) -> [Result<DetectionResult, Status>] {
    try detectBatch(images, options: options, timeout: .some(timeout), canceller: canceller)
  }
}
