import Detection
public import FaceCore
import Inference
import ModelStore

/// A loaded model that finds faces in this process.
public final class Engine: FaceDetector, ModelProvider {
  private let pipeline: DetectionPipeline
  public let models: [ModelInfo]

  /// Loads the model package in `folder`. Throws as `ModelPackage` and the model's family do.
  public init(modelFolder folder: String) throws(Status) {
    let package = try ModelPackage(folder: folder)
    let manifest = package.manifest
    do {
      pipeline = DetectionPipeline(
        network: try NcnnNetwork(graph: package.graph, weights: package.weights),
        family: try DetectorFamilies.make(manifest),
        input: InputSpecification(manifest.input))
      models = [ModelInfo(name: manifest.name, family: manifest.family, licence: manifest.licence)]
    } catch {
      throw Status(error.code, "\(folder): \(error.message)")
    }
  }

  public func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    try pipeline.detect(image, options: options)
  }
}
