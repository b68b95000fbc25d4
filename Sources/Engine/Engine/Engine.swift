import Detection
public import FaceCore
public import Imaging
import Inference
public import ModelStore
import Posix
import Synchronization

/// Face detection in this process, with models that can be reloaded while they are in use.
///
/// Its public functions validate their options; internal functions expect valid ones.
public final class Engine: TrackingDetector, BatchDetector, ModelProvider {
  private let catalog: ModelCatalog?
  /// Decodes the files of images that come without a decoder.
  private let decoder: (any FileDecoder)?
  /// Has the memory for the files of images that come without one.
  private let memory: any PictureMemory
  let analysis: AnalysisModels
  let registry: ModelRegistry
  let use = EngineUse()
  /// Held while models are reloaded, so that reloads do not overtake each other.
  private let reloading = Mutex(())

  /// Loads the models in `folders`. The first one is used if the options name none. Throws errors of
  /// `ModelPackage`, `BareModel`, the detector families and the self-test, and `alreadyExists` if two models
  /// have the same name.
  /// - Parameters:
  ///   - folders: folders with a `model.json`, folders with only a `.param` and its `.bin` or only an
  ///     `.onnx`, or `.onnx` files.
  ///   - catalog: the catalogue of the other models, for `listModels`.
  ///   - maxInputPixels: the limit on a network's input; larger inputs throw `resourceExhausted`.
  ///     `DetectionPipeline.init` states the memory needed.
  ///   - threadsPerFrame: the number of threads that share the rows of one image, 1…16, if the model's
  ///     network supports that.
  ///   - precision: the precision of the detectors' networks.
  ///   - runtime: what runs the detectors' networks. Models beside them that are loaded on demand run as by default.
  ///   - decoder: decodes the files of images that come without a decoder; `nil`: the threads of their calls do.
  ///   - memory: the memory for the files of images that come without one; `nil`: that of the process.
  public init(
    modelFolders folders: [String], catalog: ModelCatalog? = nil, maxInputPixels: Int = .max,
    threadsPerFrame: Int = 1, precision: Precision = .best, runtime: NetworkRuntime = .automatic,
    decoder: (any FileDecoder)? = nil,
    memory: (any PictureMemory)? = nil
  ) throws(Status) {
    self.catalog = catalog
    self.decoder = decoder
    self.memory = memory ?? MemoryBudget.ofProcess.account(of: CurrentProcess.user)
    analysis = AnalysisModels(beside: folders.first ?? "", catalog: catalog)
    registry = try ModelRegistry(
      folders: folders, maxInputPixels: maxInputPixels,
      settings: NetworkSettings(threads: threadsPerFrame, precision: precision, runtime: runtime))
  }

  /// The folder or file of a model that was given by its path, or by its name if it was installed with this
  /// library or program; `nil`: of the detector that was. Throws like `ModelCatalog.standard`.
  public static func modelFolder(_ model: String?) throws(Status) -> String {
    guard let model else { return try ModelCatalog.standard().standardModel.path }
    return ModelCatalog.path(of: model)
  }

  /// The same of several; of none, the installed detector's alone.
  public static func modelFolders(_ models: [String]) throws(Status) -> [String] {
    models.isEmpty ? [try modelFolder(nil)] : models.map(ModelCatalog.path)
  }

  /// Also throws errors of a call that ends early; see `CancellationToken`.
  public func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    try options.validate()
    return try search(image, options)
  }

  private func search(_ image: ImageInput, _ options: DetectionOptions) throws(Status) -> DetectionResult {
    try image.cancellation?.check()
    try use.begin()
    defer { use.end() }
    let image = image.decoded(by: decoder, in: memory)
    if let square = try SquarePixels(image) {
      return try square.withCopy(of: image) { (copy) throws(Status) in
        square.own(try findFaces(in: copy, square.square(options)), options)
      }
    }
    return try findFaces(in: image, options)
  }

  private func findFaces(in image: ImageInput, _ options: DetectionOptions) throws(Status) -> DetectionResult {
    let picture = try UprightImage(image, willCrop: !options.outputs.isEmpty)
    var result: DetectionResult
    if let boxes = options.boxes {
      result = try DetectionResult(given: boxes, in: picture.size)
    } else {
      let (detector, models) = try registry.detector(for: options)
      result = try detector.findFaces(in: picture, options)
      result.models = models.identities
    }
    if options.isProminentOnly { result.keepMostProminent() }
    if !options.outputs.isEmpty {
      let model = options.boxes == nil ? try registry.model(for: options) : nil
      result = try analysis.complete(result, of: model, in: picture, options)
    }
    try image.cancellation?.check()
    return result
  }

  public func detectBatch(
    _ images: [ImageInput], options: DetectionOptions, cancellation: CancellationToken?
  ) throws(Status) -> [Result<DetectionResult, Status>] {
    try options.validate()
    try options.validateForSeveralImages()
    var outcomes: [Result<DetectionResult, Status>] = []
    for var image in images {
      image.cancellation = cancellation
      do throws(Status) {
        outcomes.append(.success(try search(image, options)))
      } catch {
        try cancellation?.check()
        outcomes.append(.failure(error))
      }
    }
    return outcomes
  }

  public func makeTracker(_ options: TrackingOptions) throws(Status) -> any FrameTracker {
    try FaceTracker(frameDetector, options)
  }

  var frameDetector: FrameDetector {
    FrameDetector(models: registry, analysis: analysis, decoder: decoder, memory: memory)
  }

  /// The input that the network sees for `image` with `options`; for accuracy `high`, the first network's
  /// input. Throws like `detect`.
  public func networkInput(_ image: ImageInput, options: DetectionOptions) throws(Status) -> NetworkInput {
    try options.validate()
    return try registry.model(for: options).pipeline.networkInput(image, options: options)
  }

  /// Describes a model that the engine was given, under a name that a call may use. Throws `notFound` for an
  /// unknown name.
  /// - Parameter name: the model's name; empty for the first one.
  public func model(named name: String) throws(Status) -> ModelInfo {
    try registry.description(named: name).info
  }

  /// The detectors, the default one first, then the networks for landmarks and expressions once they have
  /// been loaded.
  public var models: [ModelInfo] { registry.models.map(\.info) + analysis.models.map(\.model) }

  public func listModels() throws(Status) -> [ListedModel] {
    var listed =
      registry.models.map { ListedModel($0.info, title: $0.title, isLoaded: true) } + analysis.models
    let names = Set(listed.map(\.model.name))
    for folder in try catalog?.folders() ?? [] {
      do throws(Status) {
        let manifest = try folder.manifest()
        guard !names.contains(manifest.name), try folder.hasFiles(of: manifest) else { continue }
        listed.append(ListedModel(ModelInfo(manifest), title: manifest.title, isLoaded: false))
      } catch {
        // A package that cannot be loaded is not listed; `face-engine models` says why.
        guard error.code != .resourceExhausted else { throw error }
      }
    }
    return listed
  }

  public func reloadModels(named name: String) throws(Status) -> [ModelInfo] {
    try reloading.withLock { (_) throws(Status) in
      let isAnalysis = analysis.models.contains { $0.model.name == name }
      // Everything is loaded before anything is put in place, so that all models are replaced or none.
      let fresh = try name.isEmpty || isAnalysis ? analysis.reloaded() : nil
      let detectors = try isAnalysis ? [] : registry.reload(named: name)
      if let fresh { analysis.replace(with: fresh) }
      return detectors.map(\.info) + (fresh?.models.map(\.model) ?? [])
    }
  }

  public func selfTest() throws(Status) {
    try registry.selfTest()
    try analysis.selfTest()
  }

  public func releaseUnusedMemory(beyond kept: KeptMemory) -> Bool {
    (registry.networks + analysis.networksInMemory)
      .reduce(false) { $1.releaseUnusedMemory(beyond: kept) || $0 }
  }

  public var hasReleasedModels: Bool { registry.isReleased && analysis.isReleased }

  public func releaseModels() -> Bool {
    // Releases both, whatever the first call returns.
    let detectors = registry.release()
    return analysis.release() || detectors
  }
}

extension DetectionResult {
  /// The caller's boxes as faces, in the same order. Throws `invalidArgument` for a box outside the picture.
  fileprivate init(given boxes: [Box], in size: PixelSize) throws(Status) {
    if let index = boxes.firstIndex(where: { $0.clamped(to: size).area <= 0 }) {
      throw Status(
        .invalidArgument,
        "box \(index) lies outside the upright picture of \(size.width)×\(size.height) pixels; "
          + "give boxes in its pixels, from its top-left corner",
        .field("options.boxes"))
    }
    self.init(imageSize: size, faces: boxes.map { Face(box: $0, confidence: 1, points: nil) })
  }
}
