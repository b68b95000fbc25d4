import Detection
import FaceCore
import Inference
import ModelStore
import Synchronization

/// The models of one engine, each in the folder it came from. Safe to use from several threads at once; whoever has a
/// model may go on using it after it was replaced.
final class ModelRegistry: Sendable {
  private let maxInputPixels: Int
  private let threadsPerFrame: Int
  /// Those the engine was given, the first of which is used when none is named; then those that `sibling` brought.
  private let loaded: Mutex<[LoadedModel]>
  private let givenCount: Int
  /// Held while models are loaded, so that the last ones asked for are those that stay.
  private let loading = Mutex(())

  /// Throws what loading throws, and `alreadyExists` where two folders have models of one name.
  /// - Parameter folders: one or more.
  init(folders: [String], maxInputPixels: Int, threadsPerFrame: Int) throws(Status) {
    guard !folders.isEmpty else {
      throw Status(.invalidArgument, "no model was named; give at least one model folder")
    }
    var models: [LoadedModel] = []
    for folder in folders {
      let model = try LoadedModel(
        folder: folder, maxInputPixels: maxInputPixels, threadsPerFrame: threadsPerFrame)
      if let other = models.first(where: { $0.info.name == model.info.name }) {
        throw Status(
          .alreadyExists,
          "\(other.folder) and \(folder) both have a model \"\(model.info.name)\"; load only one of them")
      }
      models.append(model)
    }
    self.maxInputPixels = maxInputPixels
    self.threadsPerFrame = threadsPerFrame
    givenCount = models.count
    loaded = Mutex(models)
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

  /// The model `name` that lies in the folder beside `model`'s own, loaded when first asked for; `nil` where there is no
  /// such folder. Throws what loading throws.
  func sibling(_ name: String, of model: LoadedModel) throws(Status) -> LoadedModel? {
    func find() -> LoadedModel? { models.first { $0.info.name == name } }
    if let there = find() { return there }
    guard let folder = ModelFolder(path: model.folder).sibling(name) else { return nil }
    return try loading.withLock { (_) throws(Status) in
      // Another thread may have been first.
      if let there = find() { return there }
      let fresh = try load(folder.path)
      loaded.withLock { $0.append(fresh) }
      return fresh
    }
  }

  /// Loads models again from their folders and puts them in place of the old ones, all or none.
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
        let again = try load(model.folder)
        guard again.info.name == model.info.name else {
          throw Status(
            .failedPrecondition,
            "\(model.folder) has the model \"\(again.info.name)\" now instead of \"\(model.info.name)\"; "
              + "start the engine anew for it")
        }
        fresh.append(again)
      }
      loaded.withLock { models in
        for model in fresh {
          guard let place = models.firstIndex(where: { $0.info.name == model.info.name }) else { continue }
          models[place] = model
        }
      }
      // Kept until here, so that those not in use any more go after the lock is free.
      return withExtendedLifetime(old) { fresh }
    }
  }

  private func load(_ folder: String) throws(Status) -> LoadedModel {
    try LoadedModel(folder: folder, maxInputPixels: maxInputPixels, threadsPerFrame: threadsPerFrame)
  }

  private static func unknown(_ name: String, _ models: [LoadedModel]) -> Status {
    let names = models.map(\.info.name.quoted).joined(separator: ", ")
    return Status(.notFound, "no model \(name.quoted) is loaded; loaded: \(names)")
  }
}

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
