import FaceCore

/// What was measured, on what.
struct BenchReport {
  /// `nil` where the machine does not tell.
  let processor: String?
  let processors: Int
  let threadsPerFrame: Int
  let model: String
  let networkEngine: String
  let accuracy: Accuracy
  let rounds: Int
  let warmUp: Int
  let frames: Int
  /// Rather than the time on the wall.
  let isProcessorTime: Bool
  let subjects: [BenchSubject]
}
