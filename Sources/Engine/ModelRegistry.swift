import Detection
import FaceCore
import Imaging
import Inference
import ModelStore
import Synchronization

/// The models of one engine, by name, with the folders they came from. Safe to use from several threads at once; a call
/// that has a model goes on with it after it was replaced.
final class ModelRegistry: Sendable {
  private let maxInputPixels: Int
  private let threadsPerFrame: Int
  private let precision: Precision
  /// Those the engine was given, the first of which is used when none is named; then those that `sibling` brought.
  private let loaded: Mutex<[LoadedModel]>
  private let givenCount: Int
  /// Held while models are loaded, so that no model is loaded twice and reloads do not overtake each other.
  private let loading = Mutex(())

  /// Throws what loading throws, and `alreadyExists` where two folders have models of one name.
  /// - Parameter folders: one or more.
  init(folders: [String], maxInputPixels: Int, threadsPerFrame: Int, precision: Precision) throws(Status) {
    guard !folders.isEmpty else {
      throw Status(.invalidArgument, "no model was named; give at least one model folder")
    }
    var models: [LoadedModel] = []
    for folder in folders {
      let model = try LoadedModel(
        folder: folder, maxInputPixels: maxInputPixels, threadsPerFrame: threadsPerFrame, precision: precision
      )
      if let other = models.first(where: { $0.info.name == model.info.name }) {
        throw Status(
          .alreadyExists,
          "\(other.folder) and \(folder) both have a model \"\(model.info.name)\"; load only one of them")
      }
      models.append(model)
    }
    self.maxInputPixels = maxInputPixels
    self.threadsPerFrame = threadsPerFrame
    self.precision = precision
    givenCount = models.count
    loaded = Mutex(models)
  }

  /// The detector for the model, the accuracy and the rotations that `options` name, and the models that it runs: together,
  /// so that a reload cannot come between. Throws as `model(named:)`.
  func detector(
    for options: DetectionOptions
  ) throws(Status) -> (detector: any PictureDetector, models: [ModelIdentity]) {
    let (model, helper) = try models(for: options)
    var detector: any PictureDetector =
      switch options.accuracy {
      case .low, .balanced: model.pipeline
      case .high: HighAccuracy.ensemble(for: model, with: helper)
      }
    if options.rotations == .any { detector = RotatedDetector(pipeline: model.pipeline, detector: detector) }
    return (detector, model.identities + (helper?.identities ?? []))
  }

  /// The models that `detector(for:)` would run, without making one. Throws as it does.
  func identities(for options: DetectionOptions) throws(Status) -> [ModelIdentity] {
    let (model, helper) = try models(for: options)
    return model.identities + (helper?.identities ?? [])
  }

  private func models(
    for options: DetectionOptions
  ) throws(Status) -> (model: LoadedModel, helper: LoadedModel?) {
    let model = try model(for: options)
    return (model, options.accuracy == .high ? try HighAccuracy.helper(of: model, in: self) : nil)
  }

  /// The model that `options` name. Throws `notFound` where it is not loaded, or has another revision.
  func model(for options: DetectionOptions) throws(Status) -> LoadedModel {
    let model = try model(named: options.model)
    guard options.modelRevision == 0 || options.modelRevision == model.info.revision else {
      throw Status(
        .notFound,
        "the model \(model.info.name.quoted) is loaded in revision \(model.info.revision) and the call asks for "
          + "\(options.modelRevision); load that revision, or ask for none", .field("options.model_revision"))
    }
    return model
  }

  /// The one used when none is named comes first.
  var models: [LoadedModel] { loaded.withLock { $0 } }

  /// One for a call, of those the engine was given: whether a name is known does not depend on the calls before.
  ///
  /// Throws `notFound`, naming them.
  /// - Parameter name: empty for the first.
  func model(named name: String) throws(Status) -> LoadedModel {
    let given = Array(models.prefix(givenCount))
    guard let model = name.isEmpty ? given.first : given.first(where: { $0.info.name == name }) else {
      throw ModelRegistry.unknown(name, given)
    }
    return model
  }

  /// The model `name` in the folder beside `model`'s own, loaded at the first call; `nil` where there is no such folder.
  /// Throws what loading throws.
  func sibling(_ name: String, of model: LoadedModel) throws(Status) -> LoadedModel? {
    func find() -> LoadedModel? { models.first { $0.info.name == name } }
    if let known = find() { return known }
    guard let folder = ModelFolder(path: model.folder).sibling(name) else { return nil }
    return try loading.withLock { (_) throws(Status) in
      // Another thread may have been first.
      if let known = find() { return known }
      let fresh = try load(folder.path)
      loaded.withLock { $0.append(fresh) }
      return fresh
    }
  }

  /// Reloads models from their folders and puts them in place of the old ones, all or none.
  ///
  /// Throws `notFound`, naming those that are loaded, and what loading throws.
  /// - Parameter name: empty for all.
  func reload(named name: String) throws(Status) -> [LoadedModel] {
    try loading.withLock { (_) throws(Status) in
      let models = models
      let old = name.isEmpty ? models : models.filter { $0.info.name == name }
      if old.isEmpty { throw ModelRegistry.unknown(name, models) }
      var fresh: [LoadedModel] = []
      for model in old {
        // Without it the files would be taken for a bare model, whatever they are by now.
        guard !model.isDescribed || ModelFolder(path: model.folder).hasManifest else {
          throw Status(
            .failedPrecondition,
            "\(model.folder) has no model.json any more, which says what its files have to be; put it back and reload"
          )
        }
        let reloaded = try load(model.folder)
        guard reloaded.info.name == model.info.name else {
          throw Status(
            .failedPrecondition,
            "\(model.folder) has the model \"\(reloaded.info.name)\" now instead of \"\(model.info.name)\"; "
              + "start the engine anew for it")
        }
        fresh.append(reloaded)
      }
      loaded.withLock { models in
        for model in fresh {
          guard let place = models.firstIndex(where: { $0.info.name == model.info.name }) else { continue }
          models[place] = model
        }
      }
      // Kept until here, so that models not in use any more are released outside the lock.
      return withExtendedLifetime(old) { fresh }
    }
  }

  private func load(_ folder: String) throws(Status) -> LoadedModel {
    try LoadedModel(
      folder: folder, maxInputPixels: maxInputPixels, threadsPerFrame: threadsPerFrame, precision: precision)
  }

  private static func unknown(_ name: String, _ models: [LoadedModel]) -> Status {
    let names = models.map(\.info.name.quoted).joined(separator: ", ")
    return Status(.notFound, "no model \(name.quoted) is loaded; loaded: \(names)")
  }
}

/// A detector that was loaded and has passed its self-test. Never changes.
final class LoadedModel: Sendable {
  let folder: String
  /// Whether its folder had a `model.json`.
  let isDescribed: Bool
  let info: ModelInfo
  /// Its own alone, made once.
  let identities: [ModelIdentity]
  let title: String
  let pipeline: DetectionPipeline

  /// Loads the model in `folder`, which may also be an `.onnx` file. Throws as `DetectorPackage`, the network and `selfTest` do.
  init(folder: String, maxInputPixels: Int, threadsPerFrame: Int, precision: Precision) throws(Status) {
    self.folder = folder
    do {
      let package = try DetectorPackage(path: folder)
      isDescribed = package.isDescribed
      let network = try package.network(threads: threadsPerFrame, precision: precision)
      var info = package.info
      info.engine = network.engine
      info.weightsHash = SHA256.digest(
        network.isQuantised ? package.quantised ?? package.weights : package.weights)
      self.info = info
      identities = [info.identity]
      title = package.title
      pipeline = DetectionPipeline(
        network: network, family: package.family, input: package.input, maxInputPixels: maxInputPixels)
      try selfTest()
    } catch {
      // Errors of reading files name the folder already.
      throw error.message.hasPart(folder) ? error : Status(error.code, "\(folder): \(error.message)")
    }
  }

  /// Runs a detection; throws when it fails, whatever it finds.
  func selfTest() throws(Status) {
    _ = try SelfTestFrame.with { (image) throws(Status) in
      try pipeline.findFaces(in: UprightImage(image), DetectionOptions())
    }
  }
}
