import Detection
import FaceCore
import Inference
import ModelStore

/// A model that was loaded and has proven that it works. Never changes.
final class LoadedModel: Sendable {
  let info: ModelInfo
  let title: String
  private let pipeline: DetectionPipeline

  /// Loads the model package in `folder`. Throws as `ModelPackage`, the model's family and `selfTest` do.
  init(folder: String, maxInputPixels: Int) throws(Status) {
    let package = try ModelPackage(folder: folder)
    let manifest = package.manifest
    info = ModelInfo(manifest)
    title = manifest.title
    do {
      pipeline = DetectionPipeline(
        network: try NcnnNetwork(graph: package.graph, weights: package.weights),
        family: try DetectorFamilies.make(manifest),
        input: InputSpecification(manifest.input), maxInputPixels: maxInputPixels)
      try selfTest()
    } catch {
      throw Status(error.code, "\(folder): \(error.message)")
    }
  }

  func detect(_ image: ImageInput, _ options: DetectionOptions) throws(Status) -> DetectionResult {
    try pipeline.detect(image, options: options)
  }

  /// What counts is that a detection comes to its end, not what it finds.
  func selfTest() throws(Status) {
    _ = try SelfTestFrame.with { (image) throws(Status) in try detect(image, DetectionOptions()) }
  }
}

extension ModelInfo {
  init(_ manifest: ModelManifest) {
    self.init(name: manifest.name, family: manifest.family, licence: manifest.licence)
  }
}
