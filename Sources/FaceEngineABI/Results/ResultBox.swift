import FaceCore

/// What a `face_result` stands for.
final class ResultBox: Sendable {
  private let outcome: Result<DetectionResult, Status>
  /// Why there is no result, for the caller to read.
  let message: CText?

  init(_ result: DetectionResult) {
    outcome = .success(result)
    message = nil
  }

  init(_ outcome: Result<DetectionResult, Status>) {
    self.outcome = outcome
    message =
      switch outcome {
      case .success: nil
      case .failure(let status): CText(status.message)
      }
  }

  var code: StatusCode {
    switch outcome {
    case .success: .ok
    case .failure(let status): status.code
    }
  }

  var faces: [Face] { (try? outcome.get())?.faces ?? [] }

  /// Throws `failedPrecondition` where the image failed.
  func imageSize() throws(Status) -> PixelSize {
    switch outcome {
    case .success(let result): return result.imageSize
    case .failure(let status):
      throw Status(.failedPrecondition, "this image has no result: \(status.message)")
    }
  }

  /// Throws `outOfRange` where there is no such face.
  func face(_ index: UInt32) throws(Status) -> Face {
    guard Int(index) < faces.count else {
      throw Status(.outOfRange, "face \(index) of \(faces.count) was asked for; indices begin at 0")
    }
    return faces[Int(index)]
  }
}
