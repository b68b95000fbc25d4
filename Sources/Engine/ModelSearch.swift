import Detection
import FaceCore
import Imaging

/// Finds faces with the models of a shelf, as options' model and accuracy say. What is to be told of each beyond box,
/// confidence and five points is left to `AnalysisModels`.
struct ModelSearch: PictureDetector {
  let shelf: ModelShelf

  func detect(_ picture: UprightImage, options: DetectionOptions) throws(Status) -> DetectionResult {
    let model = try shelf.model(named: options.model)
    return switch options.accuracy {
    case .low, .balanced: try model.pipeline.detect(picture, options: options)
    case .high: try HighAccuracy.detector(for: model, on: shelf).detect(picture, options: options)
    }
  }
}
