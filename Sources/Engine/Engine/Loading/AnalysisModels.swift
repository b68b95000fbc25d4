import Analysis
import Detection
import FaceCore
import Imaging
import Inference
import ModelStore
import Synchronization

/// The networks for landmarks and expressions, which produce all outputs beyond the box. They are loaded by
/// the first call that needs them and kept until they are released.
final class AnalysisModels: Sendable {
  struct Loaded {
    fileprivate let analyzer: FaceAnalyzer
    fileprivate let networks: [any Network]
    let models: [ListedModel]
    fileprivate let identities: [ModelIdentity]
  }

  private static let meshPackage = "facemesh"
  private static let expressionsPackage = "blendshapes"
  /// The names of both packages.
  static let packages = [meshPackage, expressionsPackage]

  private let folders: [String]
  private struct State {
    var loaded: Loaded?
    var models: [ListedModel] = []
    /// Whether the last attempt to load them again failed.
    var hasFailed = false
  }

  /// Never held for long: the event loop of an engine process lists the models.
  private let state = Mutex(State())
  /// Held during the first load, so that it happens only once.
  private let loading = Mutex(())

  /// - Parameters:
  ///   - detector: a detector's folder; the folder around it is searched first.
  ///   - catalog: the catalogue searched next; `nil` for the standard one.
  init(beside detector: String, catalog: ModelCatalog?) {
    let catalog = catalog ?? (try? ModelCatalog.standard())
    folders = ["\(detector)/.."] + (catalog.map { [$0.path] } ?? [])
  }

  /// The loaded networks. Throws `notFound`, with instructions to fetch them, if they are missing, and what
  /// `ModelPackage` throws.
  var analyzer: FaceAnalyzer {
    get throws(Status) { try networks.analyzer }
  }

  private var networks: Loaded {
    get throws(Status) {
      if let known = state.withLock({ $0.loaded }) { return known }
      return try loading.withLock { (_) throws(Status) in
        // Another thread may have loaded them meanwhile.
        if let known = state.withLock({ $0.loaded }) { return known }
        do throws(Status) {
          let fresh = try load()
          replace(with: fresh)
          return fresh
        } catch {
          state.withLock { $0.hasFailed = !$0.models.isEmpty }
          throw error
        }
      }
    }
  }

  /// The loaded models; empty before the first call that needs them.
  var models: [ListedModel] { state.withLock { $0.models } }

  var isReleased: Bool { state.withLock { $0.loaded == nil } }

  /// Releases the networks' memory until a call needs them again. Running calls keep theirs.
  /// - Returns: whether they were loaded.
  func release() -> Bool {
    let released = state.withLock { state in state.loaded.take() }
    return released != nil
  }

  /// The networks, unless they are released.
  var networksInMemory: [any Network] { state.withLock { $0.loaded }?.networks ?? [] }

  /// Loads the networks again without putting them in place. Returns `nil` if they were never loaded. Throws
  /// errors of loading and of the self-test.
  func reloaded() throws(Status) -> Loaded? {
    guard !models.isEmpty else { return nil }
    let fresh = try load()
    try fresh.analyzer.selfTest()
    return fresh
  }

  /// Puts reloaded networks in place; running calls keep the old ones.
  func replace(with fresh: Loaded) {
    let old = state.withLock { state in
      defer { state = State(loaded: fresh, models: fresh.models) }
      return state.loaded
    }
    // Keeps the old networks until here, so that they are released outside the lock.
    withExtendedLifetime(old) {}
  }

  /// Runs the loaded networks, or loads those that could not be loaded when they were needed. Throws their
  /// errors.
  func selfTest() throws(Status) {
    let (loaded, hasFailed) = state.withLock { ($0.loaded, $0.hasFailed) }
    if let loaded { try loaded.analyzer.selfTest() } else if hasFailed { _ = try networks }
  }

  private func load() throws(Status) -> Loaded {
    let (mesh, expressions) = (try package(Self.meshPackage), try package(Self.expressionsPackage))
    let (meshNetwork, expressionNetwork) = (try mesh.network(), try expressions.network())
    let analyzer = FaceAnalyzer(
      mesh: try FaceMesh(mesh.manifest, meshNetwork),
      expressions: try ExpressionNetwork(expressions.manifest, expressionNetwork))
    let models = [(mesh, meshNetwork), (expressions, expressionNetwork)].map { package, network in
      var info = ModelInfo(package.manifest)
      info.engine = network.runtime
      info.weightsHash = SHA256.digest(
        network.isQuantised ? package.quantised ?? package.weights : package.weights)
      return ListedModel(info, title: package.manifest.title, isLoaded: true)
    }
    return Loaded(
      analyzer: analyzer, networks: [meshNetwork, expressionNetwork], models: models,
      identities: models.map(\.model.identity))
  }

  /// Adds the outputs of `options` to the first faces, which are the most confident ones. Faces that already
  /// have dense points skip the mesh network.
  /// - Parameter model: the detector that found the faces, or most of them.
  func complete(
    _ result: DetectionResult, of model: LoadedModel?, in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> DetectionResult {
    picture.input.clock?.begin(.points)
    defer { picture.input.clock?.end() }
    let networks = try networks
    let analyzer = networks.analyzer
    var completed = result
    completed.models += networks.identities
    let limit = options.maxAnalysedFaces
    let count = limit == 0 ? completed.faces.count : min(limit, completed.faces.count)
    completed.unanalysedFaces = completed.faces.count - count
    for index in completed.faces.indices.prefix(count) {
      try picture.input.cancellation?.check()
      completed.faces[index] = try analyzer.complete(
        completed.faces[index], options.outputs, options.rotations, model?.pipeline.boxes, in: picture)
    }
    if options.outputs.contains(.isoQuality) { completed.rateSingleFace() }
    return completed
  }

  private func package(_ name: String) throws(Status) -> ModelPackage {
    for folder in folders where try ModelFolder(path: "\(folder)/\(name)").hasManifest {
      return try ModelPackage(folder: "\(folder)/\(name)")
    }
    throw Status(
      .notFound,
      "landmarks, pose, eyes, mouth, expressions and quality need the model package \(name), which is not in "
        + "\(folders.joined(separator: ", ")); install the Debian package face-engine-models, or put Models/\(name) there"
    )
  }
}

extension FaceAnalyzer {
  /// Runs both networks; throws if either fails, and ignores the results.
  fileprivate func selfTest() throws(Status) {
    _ = try SelfTestFrame.with { (image) throws(Status) in
      let picture = try UprightImage(image, willCrop: true)
      // Any positions will do, as long as they differ.
      let points = (0..<Landmarks.count).map { (index: Int) -> Point3D in
        let (row, column) = index.quotientAndRemainder(dividingBy: 22)
        return Point3D(x: Float(20 + column), y: Float(20 + row), z: 0)
      }
      let landmarks = Landmarks(points: points, confidence: 1)
      _ = try follow(landmarks, in: picture)
      let face = Face(box: Box(x: 20, y: 20, width: 22, height: 22), confidence: 1, points: nil)
      return try complete(face, .expressions, from: landmarks, in: picture)
    }
  }
}

extension FaceMesh {
  fileprivate init(_ manifest: ModelManifest, _ network: any Network) throws(Status) {
    guard manifest.input.colour == "rgb" else {
      throw Status(
        .failedPrecondition, "\(manifest.name): input.colour in model.json must be \"rgb\" for a face mesh")
    }
    self.init(
      network: network, input: manifest.input.blob,
      normalisation: InputNormalisation(mean: manifest.input.mean, scale: manifest.input.scale),
      points: try manifest.blob("points"), presence: try manifest.blob("presence"))
  }
}

extension ExpressionNetwork {
  fileprivate init(_ manifest: ModelManifest, _ network: any Network) throws(Status) {
    self.init(network: network, input: manifest.input.blob, scores: try manifest.blob("scores"))
  }
}

extension ModelPackage {
  /// Loads the network of a package with a `model.json`, whatever its role. Throws like `NetworkLoader.load`.
  func network() throws(Status) -> any Network {
    try NetworkLoader.load(
      graph: graph, weights: weights, quantised: quantised, inputBlob: manifest.input.blob,
      outputs: manifest.outputs.sorted { $0.key < $1.key }.flatMap(\.value))
  }
}

extension ModelManifest {
  /// The name of the single output blob of `kind`.
  fileprivate func blob(_ kind: String) throws(Status) -> String {
    guard let blob = outputs[kind]?.first else {
      throw Status(
        .failedPrecondition, "\(name): outputs in model.json has no \"\(kind)\"; see Models/README.md")
    }
    return blob
  }
}
