import Detection
public import FaceCore
import Inference
public import ModelStore

/// A face detector as it lies on disk: with a `model.json`, or bare and inferred from its graph.
struct DetectorPackage {
  let info: ModelInfo
  let title: String
  let family: any DetectorFamily
  let input: InputSpecification
  let graph: [UInt8]
  let weights: [UInt8]

  /// Throws as `ModelPackage` or `BareModel` does, and as the family does.
  init(folder: String) throws(Status) {
    if ModelFolder(path: folder).hasManifest {
      try self.init(try ModelPackage(folder: folder))
    } else {
      try self.init(try BareModel(folder: folder))
    }
  }

  fileprivate init(_ package: ModelPackage) throws(Status) {
    let manifest = package.manifest
    info = ModelInfo(manifest)
    title = manifest.title
    family = try DetectorFamilies.make(manifest)
    input = InputSpecification(manifest.input)
    graph = package.graph
    weights = package.weights
  }

  fileprivate init(_ model: BareModel) throws(Status) {
    let detector = try InferredDetector(graph: model.graph)
    // SPDX's name for what nobody has said.
    info = ModelInfo(name: model.name, family: detector.familyName, licence: "NOASSERTION")
    title = detector.title
    family = detector.family
    input = detector.input
    graph = model.graph
    weights = model.weights
  }
}

extension DetectorPackage {
  /// Throws as `NetworkLoader.load`.
  func network(threads: Int = 1) throws(Status) -> any Network {
    try NetworkLoader.load(
      graph: graph, weights: weights, inputBlob: input.blob, outputs: family.outputs, threads: threads)
  }
}

extension ModelPackage {
  /// What would run the network here, in a few words. Throws as loading it does.
  public func engine() throws(Status) -> String {
    manifest.role == "detector" ? try DetectorPackage(self).network().engine : try network().engine
  }
}

extension BareModel {
  /// What the network shows itself to be and what would run it here. Throws as loading it does.
  public func inferred() throws(Status) -> (info: ModelInfo, title: String) {
    let package = try DetectorPackage(self)
    var info = package.info
    info.engine = try package.network().engine
    return (info, package.title)
  }
}

extension ModelInfo {
  /// What a package says of itself.
  public init(_ manifest: ModelManifest) {
    self.init(
      name: manifest.name, family: manifest.family, licence: manifest.licence, role: manifest.role)
  }
}
