import Detection
import FaceCore
import Imaging
import Inference
import Synchronization

/// A detector's description and the folder it came from.
struct ModelDescription: Sendable {
  let folder: String
  /// Whether its folder had a `model.json`.
  let isDescribed: Bool
  let info: ModelInfo
  let title: String
  /// What was chosen to run its network.
  let runtime: NetworkRuntime
}

/// A loaded detector that has passed its self-test. Immutable.
final class LoadedModel: Sendable {
  let description: ModelDescription
  /// The identity of this model alone, made once.
  let identities: [ModelIdentity]
  let pipeline: DetectionPipeline
  let network: any Network

  var folder: String { description.folder }
  var info: ModelInfo { description.info }

  /// Loads the model in `folder`, which may also be an `.onnx` file. Throws errors of `DetectorPackage`, the
  /// network and `selfTest`.
  init(folder: String, maxInputPixels: Int, settings: NetworkSettings) throws(Status) {
    do {
      let package = try DetectorPackage(path: folder, settings)
      network = try package.network()
      var info = package.info
      info.engine = network.runtime
      info.weightsHash = package.weightsHash(of: network)
      description = ModelDescription(
        folder: folder, isDescribed: package.isDescribed, info: info, title: package.title,
        runtime: settings.runtime)
      identities = [info.identity]
      pipeline = DetectionPipeline(
        network: network, family: package.family, input: package.input, maxInputPixels: maxInputPixels)
      try selfTest()
    } catch {
      // Errors of reading files already name the folder.
      throw error.message.hasPart(folder) ? error : Status(error.code, "\(folder): \(error.message)")
    }
  }

  /// Runs a detection; throws if it fails, whatever it finds.
  func selfTest() throws(Status) {
    _ = try SelfTestFrame.with { (image) throws(Status) in
      try pipeline.findFaces(in: UprightImage(image), DetectionOptions())
    }
  }
}

/// The models that one call runs; a helper is added when it is first needed. Safe to use from several threads
/// at once.
final class ModelsInUse: Sendable {
  private let models: Mutex<[ModelIdentity]>

  /// In order of use, the named model first.
  var identities: [ModelIdentity] { models.withLock { $0 } }

  init(_ models: [ModelIdentity]) { self.models = Mutex(models) }

  func add(_ more: [ModelIdentity]) {
    models.withLock { models in models += more.filter { !models.contains($0) } }
  }
}
