import Detection
import FaceCore
import Inference
import ModelStore
import Synchronization

/// The models of one engine, by name, with the folders they came from. Safe to use from several threads at
/// once; a call keeps its model even if that is replaced or released meanwhile.
final class ModelRegistry: Sendable {
  private let maxInputPixels: Int
  private let settings: NetworkSettings
  /// The models given to the engine, the default first, then those that `sibling` loaded.
  private let slots: Mutex<[Slot]>
  private let givenCount: Int
  /// Held while models are loaded, so that no model is loaded twice and reloads do not overtake each other.
  private let loading = Mutex(())
  /// The folders of models whose helper could not be loaded. `balanced` does without it until models are
  /// reloaded.
  private let withoutHelper = Mutex<Set<String>>([])

  /// A model that is loaded, or was until its memory was released.
  private struct Slot {
    /// The model's description when it was last loaded.
    var description: ModelDescription
    var model: LoadedModel?
    /// Whether the last attempt to load it again failed.
    var hasFailed = false

    init(_ model: LoadedModel) {
      description = model.description
      self.model = model
    }
  }

  /// Throws errors of loading, and `alreadyExists` if two folders have models of the same name.
  init(folders: [String], maxInputPixels: Int, settings: NetworkSettings) throws(Status) {
    guard !folders.isEmpty else {
      throw Status(.invalidArgument, "no model was named; give at least one model folder")
    }
    var models: [LoadedModel] = []
    for folder in folders {
      let model = try LoadedModel(folder: folder, maxInputPixels: maxInputPixels, settings: settings)
      if let other = models.first(where: { $0.info.name == model.info.name }) {
        throw Status(
          .alreadyExists,
          "\(other.folder) and \(folder) both have a model \"\(model.info.name)\"; load only one of them")
      }
      models.append(model)
    }
    self.maxInputPixels = maxInputPixels
    self.settings = settings
    givenCount = models.count
    slots = Mutex(models.map { Slot($0) })
  }

  /// The detector for the model, accuracy and rotations in `options`, and the models that it has run so far.
  /// Both are returned together, so that a reload cannot come between. Throws like `model(named:)`.
  /// - Parameter isFrame: whether it searches the frames of a stream, which has the next frame to find what
  ///   it misses: accuracy `balanced` searches them once.
  func detector(
    for options: DetectionOptions, isFrame: Bool = false
  ) throws(Status) -> (detector: any PictureDetector, models: ModelsInUse) {
    let (model, helper) = try models(for: options)
    let used = ModelsInUse(model.identities + (helper?.identities ?? []))
    var detector: any PictureDetector =
      switch options.accuracy {
      case .low: model.pipeline
      case .balanced:
        isFrame
          ? HighAccuracy.fastLightDetector(for: model)
          : HighAccuracy.lightDetector(for: model) {
            let helper = self.usableHelper(of: model)
            used.add(helper?.identities ?? [])
            return helper
          }
      case .high: HighAccuracy.ensemble(for: model, with: helper)
      }
    if options.rotations == .any {
      let turnedDetector: any PictureDetector =
        switch options.accuracy {
        case .low: model.pipeline
        case .balanced: HighAccuracy.fastLightDetector(for: model)
        case .high: detector
        }
      detector = RotatedDetector(
        pipeline: model.pipeline, detector: detector, turnedDetector: turnedDetector)
    }
    return (detector, used)
  }

  /// The models that `detector(for:isFrame:)` runs on frames, without making a detector. Throws like it.
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

  /// The model that assists `model`, or `nil` if it cannot be loaded: only `high` promises it.
  private func usableHelper(of model: LoadedModel) -> LoadedModel? {
    guard !withoutHelper.withLock({ $0.contains(model.folder) }) else { return nil }
    do throws(Status) {
      return try HighAccuracy.helper(of: model, in: self)
    } catch {
      withoutHelper.withLock { _ = $0.insert(model.folder) }
      return nil
    }
  }

  /// The model that `options` name. Throws `notFound` if it is not loaded or has another revision.
  func model(for options: DetectionOptions) throws(Status) -> LoadedModel {
    let model = try load(try slot(named: options.model))
    guard options.modelRevision == 0 || options.modelRevision == model.info.revision else {
      throw Status(
        .notFound,
        "the model \(model.info.name.quoted) is loaded in revision \(model.info.revision), but the call requires "
          + "\(options.modelRevision); load that revision, or leave model_revision 0", .field("options.model_revision"))
    }
    return model
  }

  /// The models' descriptions, the default one first.
  var models: [ModelDescription] { slots.withLock { $0.map(\.description) } }

  /// Describes a model that the engine was given. Models loaded on demand are left out, so that the result
  /// does not depend on earlier calls.
  ///
  /// Throws `notFound`, listing the known names.
  /// - Parameter name: the model's name; empty for the first one.
  func description(named name: String) throws(Status) -> ModelDescription {
    try slot(named: name).description
  }

  private func slot(named name: String) throws(Status) -> Slot {
    let given = Array(slots.withLock { $0 }.prefix(givenCount))
    precondition(given.count == givenCount, "the models that were given are never removed")
    guard let slot = name.isEmpty ? given.first : given.first(where: { $0.description.info.name == name })
    else {
      throw ModelRegistry.unknown(name, given.map(\.description))
    }
    return slot
  }

  /// The model `name` in the folder next to `model`'s, loaded by the first call; `nil` if there is no such
  /// folder. Throws errors of loading it.
  func sibling(_ name: String, of model: LoadedModel) throws(Status) -> LoadedModel? {
    func find() -> Slot? { slots.withLock { $0.first { $0.description.info.name == name } } }
    if let known = find() { return try load(known) }
    guard let folder = try ModelFolder(path: model.folder).sibling(name) else { return nil }
    return try loading.withLock { (_) throws(Status) in
      // Another thread may have loaded it meanwhile.
      if let known = find()?.model { return known }
      let fresh = try load(folder.path, .automatic)
      slots.withLock { Self.put(fresh, into: &$0) }
      return fresh
    }
  }

  /// Reloads models from their folders and replaces the old ones, all or none.
  ///
  /// Throws `notFound`, listing the loaded models, and errors of loading.
  /// - Parameter name: the model to reload; empty for all.
  func reload(named name: String) throws(Status) -> [LoadedModel] {
    try loading.withLock { (_) throws(Status) in
      let models = models
      let old = name.isEmpty ? models : models.filter { $0.info.name == name }
      if old.isEmpty { throw ModelRegistry.unknown(name, models) }
      var fresh: [LoadedModel] = []
      for model in old {
        // Without it the files would be taken for a bare model, whatever they have become.
        if model.isDescribed, try !ModelFolder(path: model.folder).hasManifest {
          throw Status(
            .failedPrecondition,
            "\(model.folder) no longer has its model.json; restore that file and reload"
          )
        }
        fresh.append(try loadAgain(model))
      }
      withoutHelper.withLock { $0.removeAll() }
      let replaced = slots.withLock { slots in
        defer { for model in fresh { Self.put(model, into: &slots) } }
        return slots
      }
      // Keeps the old models until here, so that unused ones are released outside the lock.
      return withExtendedLifetime(replaced) { fresh }
    }
  }

  /// The model of a slot, loaded again from its folder if it was released. Throws errors of loading it.
  private func load(_ slot: Slot) throws(Status) -> LoadedModel {
    if let model = slot.model { return model }
    let name = slot.description.info.name
    return try loading.withLock { (_) throws(Status) in
      // Another thread may have loaded it meanwhile.
      if let model = slots.withLock({ $0.first { $0.description.info.name == name }?.model }) { return model }
      do throws(Status) {
        let fresh = try loadAgain(slot.description)
        slots.withLock { Self.put(fresh, into: &$0) }
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

  /// Replaces the model of the same name, or adds it.
  private static func put(_ model: LoadedModel, into slots: inout [Slot]) {
    if let place = slots.firstIndex(where: { $0.description.info.name == model.info.name }) {
      slots[place] = Slot(model)
    } else {
      slots.append(Slot(model))
    }
  }

  /// Also throws `failedPrecondition` if the folder has another model by now.
  private func loadAgain(_ model: ModelDescription) throws(Status) -> LoadedModel {
    let reloaded = try load(model.folder, model.runtime)
    guard reloaded.info.name == model.info.name else {
      throw Status(
        .failedPrecondition,
        "\(model.folder) has the model \"\(reloaded.info.name)\" now instead of \"\(model.info.name)\"; "
          + "restart the engine to load it")
    }
    return reloaded
  }

  // MARK: Releasing

  var isReleased: Bool { slots.withLock { $0.allSatisfy { $0.model == nil } } }

  /// Releases the models' memory until a call needs them again. Running calls keep theirs.
  /// - Returns: whether any model was loaded.
  func release() -> Bool {
    let released = slots.withLock { slots in
      let models = slots.compactMap(\.model)
      for index in slots.indices { slots[index].model = nil }
      return models
    }
    return !released.isEmpty
  }

  var networks: [any Network] { slots.withLock { $0.compactMap(\.model) }.map(\.network) }

  /// Runs the loaded models, and loads those that could not be loaded when they were needed. Throws their
  /// errors.
  func selfTest() throws(Status) {
    for slot in slots.withLock({ $0 }) {
      if let model = slot.model { try model.selfTest() } else if slot.hasFailed { _ = try load(slot) }
    }
  }

  /// - Parameter runtime: what runs it: what the caller chose, for the models that it gave.
  private func load(_ folder: String, _ runtime: NetworkRuntime) throws(Status) -> LoadedModel {
    var settings = settings
    settings.runtime = runtime
    return try LoadedModel(folder: folder, maxInputPixels: maxInputPixels, settings: settings)
  }

  private static func unknown(_ name: String, _ models: [ModelDescription]) -> Status {
    let names = models.map(\.info.name.quoted).joined(separator: ", ")
    return Status(.notFound, "no model \(name.quoted) is loaded; loaded: \(names)")
  }
}
