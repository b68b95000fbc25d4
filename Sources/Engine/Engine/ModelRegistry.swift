import Detection
import FaceCore
import Imaging
import Inference
import ModelStore
import Synchronization

/// The models of one engine, by name, with the folders they came from. Safe to use from several threads at once; a call
/// that has a model goes on with it after it was replaced or released.
final class ModelRegistry: Sendable {
  private let maxInputPixels: Int
  private let threadsPerFrame: Int
  private let precision: Precision
  /// Those the engine was given, the first of which is used when none is named; then those that `sibling` brought.
  private let slots: Mutex<[Slot]>
  private let givenCount: Int
  /// Held while models are loaded, so that no model is loaded twice and reloads do not overtake each other.
  private let loading = Mutex(())

  /// A model that is loaded, or was until its memory was released.
  private struct Slot {
    /// What it was when it was loaded last.
    var description: ModelDescription
    var model: LoadedModel?
    /// It was to be loaded again, and could not be.
    var hasFailed = false

    init(_ model: LoadedModel) {
      description = model.description
      self.model = model
    }
  }

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
    slots = Mutex(models.map { Slot($0) })
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
    let model = try load(try slot(named: options.model))
    guard options.modelRevision == 0 || options.modelRevision == model.info.revision else {
      throw Status(
        .notFound,
        "the model \(model.info.name.quoted) is loaded in revision \(model.info.revision) and the call asks for "
          + "\(options.modelRevision); load that revision, or ask for none", .field("options.model_revision"))
    }
    return model
  }

  /// The one used when none is named comes first.
  var models: [ModelDescription] { slots.withLock { $0.map(\.description) } }

  /// What a call may name, of the models that the engine was given: whether a name is known does not depend on the calls before.
  ///
  /// Throws `notFound`, naming them.
  /// - Parameter name: empty for the first.
  func description(named name: String) throws(Status) -> ModelDescription {
    try slot(named: name).description
  }

  private func slot(named name: String) throws(Status) -> Slot {
    let given = Array(slots.withLock { $0 }.prefix(givenCount))
    guard let slot = name.isEmpty ? given.first : given.first(where: { $0.description.info.name == name })
    else {
      throw ModelRegistry.unknown(name, given.map(\.description))
    }
    return slot
  }

  /// The model `name` in the folder beside `model`'s own, loaded at the first call; `nil` where there is no such folder.
  /// Throws what loading throws.
  func sibling(_ name: String, of model: LoadedModel) throws(Status) -> LoadedModel? {
    func find() -> Slot? { slots.withLock { $0.first { $0.description.info.name == name } } }
    if let known = find() { return try load(known) }
    guard let folder = ModelFolder(path: model.folder).sibling(name) else { return nil }
    return try loading.withLock { (_) throws(Status) in
      // Another thread may have been first.
      if let known = find()?.model { return known }
      let fresh = try load(folder.path)
      slots.withLock { $0.append(Slot(fresh)) }
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
        fresh.append(try loadAgain(model))
      }
      let replaced = slots.withLock { slots in
        defer { for model in fresh { Self.put(model, in: &slots) } }
        return slots
      }
      // Kept until here, so that models not in use any more are released outside the lock.
      return withExtendedLifetime(replaced) { fresh }
    }
  }

  /// The model of a slot, from its folder again where it was released. Throws what loading throws.
  private func load(_ slot: Slot) throws(Status) -> LoadedModel {
    if let model = slot.model { return model }
    let name = slot.description.info.name
    return try loading.withLock { (_) throws(Status) in
      // Another thread may have been first.
      if let model = slots.withLock({ $0.first { $0.description.info.name == name }?.model }) { return model }
      do throws(Status) {
        let fresh = try loadAgain(slot.description)
        slots.withLock { Self.put(fresh, in: &$0) }
        return fresh
      } catch {
        slots.withLock { slots in
          for index in slots.indices where slots[index].description.info.name == name {
            slots[index].hasFailed = true
          }
        }
        throw error
      }
    }
  }

  private static func put(_ model: LoadedModel, in slots: inout [Slot]) {
    guard let place = slots.firstIndex(where: { $0.description.info.name == model.info.name }) else { return }
    slots[place] = Slot(model)
  }

  /// Throws also `failedPrecondition` where another model is in its folder by now.
  private func loadAgain(_ model: ModelDescription) throws(Status) -> LoadedModel {
    let reloaded = try load(model.folder)
    guard reloaded.info.name == model.info.name else {
      throw Status(
        .failedPrecondition,
        "\(model.folder) has the model \"\(reloaded.info.name)\" now instead of \"\(model.info.name)\"; "
          + "start the engine anew for it")
    }
    return reloaded
  }

  // MARK: Releasing

  /// Whether no model is loaded.
  var isReleased: Bool { slots.withLock { $0.allSatisfy { $0.model == nil } } }

  /// Releases the models' memory until a call needs them again. Calls that run keep what they have.
  /// - Returns: whether one was loaded.
  func release() -> Bool {
    let released = slots.withLock { slots in
      let models = slots.compactMap(\.model)
      for index in slots.indices { slots[index].model = nil }
      return models
    }
    return !released.isEmpty
  }

  /// Runs the models that are loaded, and loads those that could not be when they were needed. Throws what they throw.
  func selfTest() throws(Status) {
    for slot in slots.withLock({ $0 }) {
      if let model = slot.model { try model.selfTest() } else if slot.hasFailed { _ = try load(slot) }
    }
  }

  private func load(_ folder: String) throws(Status) -> LoadedModel {
    try LoadedModel(
      folder: folder, maxInputPixels: maxInputPixels, threadsPerFrame: threadsPerFrame, precision: precision)
  }

  private static func unknown(_ name: String, _ models: [ModelDescription]) -> Status {
    let names = models.map(\.info.name.quoted).joined(separator: ", ")
    return Status(.notFound, "no model \(name.quoted) is loaded; loaded: \(names)")
  }
}

/// What a detector is, and where it came from.
struct ModelDescription: Sendable {
  let folder: String
  /// Whether its folder had a `model.json`.
  let isDescribed: Bool
  let info: ModelInfo
  let title: String
}

/// A detector that was loaded and has passed its self-test. Never changes.
final class LoadedModel: Sendable {
  let description: ModelDescription
  /// Its own alone, made once.
  let identities: [ModelIdentity]
  let pipeline: DetectionPipeline

  var folder: String { description.folder }
  var info: ModelInfo { description.info }

  /// Loads the model in `folder`, which may also be an `.onnx` file. Throws as `DetectorPackage`, the network and `selfTest` do.
  init(folder: String, maxInputPixels: Int, threadsPerFrame: Int, precision: Precision) throws(Status) {
    do {
      let package = try DetectorPackage(path: folder)
      let network = try package.network(threads: threadsPerFrame, precision: precision)
      var info = package.info
      info.engine = network.engine
      info.weightsHash = SHA256.digest(
        network.isQuantised ? package.quantised ?? package.weights : package.weights)
      description = ModelDescription(
        folder: folder, isDescribed: package.isDescribed, info: info, title: package.title)
      identities = [info.identity]
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
