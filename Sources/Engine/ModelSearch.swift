import Detection
import FaceCore
import Imaging

/// Finds faces with the models of a registry, as options' model and accuracy say. What is to be told of each beyond box,
/// confidence and five points is left to `AnalysisModels`.
struct ModelSearch: PictureDetector {
  let registry: ModelRegistry

  func detect(_ picture: UprightImage, options: DetectionOptions) throws(Status) -> DetectionResult {
    let model = try registry.model(named: options.model)
    return switch options.accuracy {
    case .low, .balanced: try model.pipeline.detect(picture, options: options)
    case .high: try HighAccuracy.detector(for: model, on: registry).detect(picture, options: options)
    }
  }
}
