import Detection
import FaceCore

/// Finds faces with the models of a shelf, as options' model and accuracy say. What is to be told of each beyond box,
/// confidence and five points is left to `AnalysisModels`.
struct ModelSearch: FaceDetector {
  let shelf: ModelShelf

  func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    let model = try shelf.model(named: options.model)
    return switch options.accuracy {
    case .low, .balanced: try model.pipeline.detect(image, options: options)
    case .high: try HighAccuracy.detector(for: model, on: shelf).detect(image, options: options)
    }
  }
}
