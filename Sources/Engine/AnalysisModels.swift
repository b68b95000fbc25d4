import Analysis
import FaceCore
import Imaging
import Inference
import ModelStore
import Synchronization

/// The networks behind all that is told of a face beyond its box: loaded when somebody first asks, then kept.
final class AnalysisModels: Sendable {
  private let folders: [String]
  private let loaded = Mutex<FaceAnalyzer?>(nil)

  /// - Parameters:
  ///   - detector: a detector's folder; the packages are looked for beside it first.
  ///   - catalog: where they are looked for next; the standard one without it.
  init(beside detector: String, catalog: ModelCatalog?) {
    let catalog = catalog ?? (try? ModelCatalog.standard())
    folders = ["\(detector)/.."] + (catalog.map { [$0.path] } ?? [])
  }

  /// Throws `notFound`, saying how to fetch them, when they are not there, and as `ModelPackage` does.
  var analyzer: FaceAnalyzer {
    get throws(Status) {
      // Held while they are loaded, so that it happens once.
      try loaded.withLock { (loaded) throws(Status) in
        if let analyzer = loaded { return analyzer }
        let fresh = FaceAnalyzer(
          mesh: try FaceMesh(try package("facemesh")),
          expressions: try ExpressionNetwork(try package("blendshapes")))
        loaded = fresh
        return fresh
      }
    }
  }

  /// The faces with what `outputs` asks for. Those that have dense points already are not looked for again.
  func complete(
    _ result: DetectionResult, in picture: UprightImage, _ outputs: FaceOutputs
  ) throws(Status) -> DetectionResult {
    guard !outputs.isEmpty else { return result }
    picture.input.clock?.begin(.points)
    defer { picture.input.clock?.end() }
    let analyzer = try analyzer
    guard !result.faces.isEmpty else { return result }
    var completed = result
    for index in completed.faces.indices {
      try picture.input.checkpoint?.check()
      completed.faces[index] = try analyzer.complete(completed.faces[index], outputs, in: picture)
    }
    return completed
  }

  private func package(_ name: String) throws(Status) -> ModelPackage {
    let places = folders.map { "\($0)/\(name)" }
    guard let place = places.first(where: { (try? ModelFolder(path: $0).manifest()) != nil }) else {
      throw Status(
        .notFound,
        "landmarks, pose, eyes, mouth, expressions and quality need the model package \(name), which is in none of "
          + "\(folders.joined(separator: ", ")); put Models/\(name) there and run `face-engine models fetch`")
    }
    return try ModelPackage(folder: place)
  }
}

extension FaceMesh {
  fileprivate init(_ package: ModelPackage) throws(Status) {
    let manifest = package.manifest
    guard manifest.input.colour == "rgb" else {
      throw Status(
        .failedPrecondition, "\(manifest.name): input.colour in model.json must be \"rgb\" for a face mesh")
    }
    self.init(
      network: try package.network(), input: manifest.input.blob,
      pixels: PixelScale(mean: manifest.input.mean, scale: manifest.input.scale),
      points: try manifest.blob("points"), presence: try manifest.blob("presence"))
  }
}

extension ExpressionNetwork {
  fileprivate init(_ package: ModelPackage) throws(Status) {
    self.init(
      network: try package.network(),
      input: package.manifest.input.blob, scores: try package.manifest.blob("scores"))
  }
}

extension ModelPackage {
  /// The network of a package that is described by its `model.json`, whatever its role. Throws as `NetworkLoader.load`.
  func network() throws(Status) -> any Network {
    try NetworkLoader.load(
      graph: graph, weights: weights, inputBlob: manifest.input.blob,
      outputs: manifest.outputs.sorted { $0.key < $1.key }.flatMap(\.value))
  }
}

extension ModelManifest {
  /// The one blob of a kind of output.
  fileprivate func blob(_ kind: String) throws(Status) -> String {
    guard let blob = outputs[kind]?.first else {
      throw Status(
        .failedPrecondition, "\(name): outputs in model.json has no \"\(kind)\"; see Models/README.md")
    }
    return blob
  }
}
