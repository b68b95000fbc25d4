public import FaceCore
public import ModelStore
import Synchronization

/// A loaded model that finds faces in this process, and can be loaded anew while it does.
public final class Engine: FaceDetector, ModelProvider {
  private let folder: String
  private let catalog: ModelCatalog?
  private let maxInputPixels: Int
  private let current: Mutex<LoadedModel>
  /// Held while a model is loaded, so that the last one asked for is the one that stays.
  private let reloading = Mutex(())

  /// Loads the model package in `folder`. Throws as `ModelPackage`, the model's family and the self-test do.
  /// - Parameters:
  ///   - catalog: the other models, for `listModels`.
  ///   - maxInputPixels: of what the network sees, about 110 bytes of memory for each; more is `resourceExhausted`.
  public init(
    modelFolder folder: String, catalog: ModelCatalog? = nil, maxInputPixels: Int = .max
  ) throws(Status) {
    self.folder = folder
    self.catalog = catalog
    self.maxInputPixels = maxInputPixels
    current = Mutex(try LoadedModel(folder: folder, maxInputPixels: maxInputPixels))
  }

  /// The model as it is now; whoever has it may go on using it after it was replaced.
  private var model: LoadedModel { current.withLock { $0 } }

  public func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    try model.detect(image, options)
  }

  public var models: [ModelInfo] { [model.info] }

  public func listModels() throws(Status) -> [ListedModel] {
    let model = model
    var listed = [ListedModel(model.info, title: model.title, isLoaded: true)]
    for folder in try catalog?.folders() ?? [] {
      // One that cannot be loaded is not listed; `face-engine models` says why.
      guard let manifest = try? folder.manifest(), manifest.name != model.info.name,
        folder.location(of: manifest.graph) != nil, folder.location(of: manifest.weights) != nil
      else { continue }
      listed.append(ListedModel(ModelInfo(manifest), title: manifest.title, isLoaded: false))
    }
    return listed
  }

  public func reloadModels(named name: String) throws(Status) -> [ModelInfo] {
    let loaded = model.info.name
    guard name.isEmpty || name == loaded else {
      throw Status(.notFound, "no model \"\(name)\" is loaded; \"\(loaded)\" is")
    }
    return try reloading.withLock { (_) throws(Status) in
      let fresh = try LoadedModel(folder: folder, maxInputPixels: maxInputPixels)
      // Handed out, so that the old model, if this was its last user, goes after the lock is free.
      let old = current.withLock { current in
        let old = current
        current = fresh
        return old
      }
      return withExtendedLifetime(old) { [fresh.info] }
    }
  }

  public func selfTest() throws(Status) {
    try model.selfTest()
  }
}
