import Detection
import FaceCore
import Inference

/// A model that was loaded and has proven that it works. Never changes.
final class LoadedModel: Sendable {
  let folder: String
  let info: ModelInfo
  let title: String
  let pipeline: DetectionPipeline

  /// Loads the model in `folder`. Throws as `DetectorPackage`, the network and `selfTest` do.
  init(folder: String, maxInputPixels: Int, threadsPerFrame: Int) throws(Status) {
    self.folder = folder
    do {
      let package = try DetectorPackage(folder: folder)
      let network = try package.network(threads: threadsPerFrame)
      var info = package.info
      info.engine = network.engine
      self.info = info
      title = package.title
      pipeline = DetectionPipeline(
        network: network, family: package.family, input: package.input, maxInputPixels: maxInputPixels)
      try selfTest()
    } catch {
      // What reads files names them already.
      throw error.message.hasPart(folder) ? error : Status(error.code, "\(folder): \(error.message)")
    }
  }

  /// What counts is that a detection comes to its end, not what it finds.
  func selfTest() throws(Status) {
    _ = try SelfTestFrame.with { (image) throws(Status) in
      try pipeline.detect(image, options: DetectionOptions())
    }
  }
}
