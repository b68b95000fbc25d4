import Detection
public import FaceCore
import Inference
public import ModelStore
import ONNX

/// The files of a face detector, described by a `model.json` or inferred from the graph.
struct DetectorPackage {
  /// The role's name in model.json.
  static let role = "detector"

  /// Whether there is a `model.json`.
  let isDescribed: Bool
  let info: ModelInfo
  let title: String
  let family: any DetectorFamily
  let input: InputSpecification
  let graph: [UInt8]
  let weights: [UInt8]
  let quantised: [UInt8]?

  /// Throws like `ModelPackage`, `BareModel` or `ONNXImporter`, and like the detector family.
  /// - Parameter path: the path of a folder or an `.onnx` file.
  init(path: String) throws(Status) {
    if ModelFolder(path: path).hasManifest {
      try self.init(try ModelPackage(folder: path))
    } else {
      try self.init(try BareModel(path: path))
    }
  }

  fileprivate init(_ package: ModelPackage) throws(Status) {
    let manifest = package.manifest
    guard manifest.role == Self.role else {
      throw Status(
        .failedPrecondition,
        "model.json gives this network the role \"\(manifest.role)\", and a detector is needed; give the folder of "
          + "one, and leave networks for landmarks and expressions beside it, where they are found")
    }
    isDescribed = true
    info = ModelInfo(manifest)
    title = manifest.title
    family = try DetectorFamilies.make(manifest)
    input = InputSpecification(manifest.input)
    graph = package.graph
    weights = package.weights
    quantised = package.quantised
  }

  fileprivate init(_ model: BareModel) throws(Status) {
    var normalisation: InputNormalisation?
    switch model.content {
    case .ncnn(let graph, let weights, _): (self.graph, self.weights) = (graph, weights)
    case .onnx(let file):
      let network = try ONNXImporter.network(file)
      (graph, weights) = (network.graph, network.weights)
      normalisation = network.normalisation
    }
    isDescribed = false
    let detector = try InferredDetector(graph: graph, normalisation: normalisation)
    // The SPDX term for a licence that is not stated.
    info = ModelInfo(
      name: model.name, family: detector.familyName, licence: "NOASSERTION", revision: 1)
    title = detector.title
    family = detector.family
    input = detector.input
    quantised = model.content.quantised
  }
}

extension DetectorPackage {
  /// Loads the network. Throws like `NetworkLoader.load`.
  func network(threads: Int = 1, precision: Precision = .best) throws(Status) -> any Network {
    try NetworkLoader.load(
      graph: graph, weights: weights, quantised: quantised, precision: precision, inputBlob: input.blob,
      outputs: family.outputs, threads: threads)
  }
}

extension ModelPackage {
  /// Describes in a few words what runs the network on this machine. Throws errors of loading it.
  public func engine() throws(Status) -> String {
    manifest.role == DetectorPackage.role ? try DetectorPackage(self).network().engine : try network().engine
  }
}

extension BareModel {
  /// The model as inferred from its graph, and what runs it on this machine. Throws errors of loading it.
  public func inferred() throws(Status) -> (info: ModelInfo, title: String) {
    let package = try DetectorPackage(self)
    var info = package.info
    info.engine = try package.network().engine
    return (info, package.title)
  }

  /// Describes the network's input: the blob's name, whether red is the first channel, and whether the
  /// network reads the pixels' bytes unscaled, which running in eight bits requires. Throws like `inferred`.
  public func inferredInput() throws(Status) -> (blob: String, isRedFirst: Bool, isBytes: Bool) {
    let input = try DetectorPackage(self).input
    return (
      input.blob, input.colour == .rgb,
      input.mean.allSatisfy { $0 == 0 } && input.scale.allSatisfy { $0 == 1 }
    )
  }
}

extension ModelInfo {
  /// Copies the part of a manifest that callers see.
  public init(_ manifest: ModelManifest) {
    self.init(
      name: manifest.name, family: manifest.family, licence: manifest.licence, role: manifest.role,
      revision: manifest.revision)
  }
}

/// Makes the decoder for a package's family from its `model.json`.
enum DetectorFamilies {
  static func make(_ manifest: ModelManifest) throws(Status) -> any DetectorFamily {
    let maps = ManifestMaps(manifest)
    switch manifest.family {
    case "centerface": return try centerFace(maps)
    case "retinaface": return try retinaFace(maps)
    case "scrfd": return try scrfd(maps)
    case "yolov5-face": return try yolo(maps)
    case "yunet": return try yunet(maps)
    default:
      throw Status(
        .failedPrecondition,
        "model.json names the family \"\(manifest.family)\"; this version knows: centerface, retinaface, scrfd, "
          + "yolov5-face, yunet"
      )
    }
  }

  private static func centerFace(_ maps: ManifestMaps) throws(Status) -> CenterFace {
    guard maps.strides.count == 1 else {
      throw Status(.failedPrecondition, "strides in model.json must be one number for CenterFace, as in [4]")
    }
    return CenterFace(
      stride: maps.strides[0], heatmap: try maps.blobs("heatmap")[0], scale: try maps.blobs("size")[0],
      offset: try maps.blobs("offset")[0], points: try maps.blobs("points")[0], inputMultiple: maps.multiple)
  }

  private static func retinaFace(_ maps: ManifestMaps) throws(Status) -> RetinaFace {
    let (scores, boxes, points) = (try maps.blobs("scores"), try maps.blobs("box"), try maps.blobs("points"))
    var levels: [RetinaFace.Level] = []
    for (index, stride) in maps.strides.enumerated() {
      guard let anchors = RetinaFace.publishedAnchors[stride] else {
        throw Status(
          .failedPrecondition,
          "strides in model.json has \(stride); the anchors of RetinaFace are for 8, 16, 32")
      }
      levels.append(
        RetinaFace.Level(
          stride: stride, anchors: anchors, scores: scores[index], boxes: boxes[index], points: points[index])
      )
    }
    return RetinaFace(levels: levels, inputMultiple: maps.multiple)
  }

  private static func scrfd(_ maps: ManifestMaps) throws(Status) -> SCRFD {
    let scores = try maps.blobs("scores")
    let boxes = try maps.blobs("box")
    let points = try maps.optionalBlobs("points")
    let levels = maps.strides.indices.map { index in
      SCRFD.Level(
        stride: maps.strides[index], scores: scores[index], boxes: boxes[index], points: points?[index])
    }
    return SCRFD(levels: levels, anchors: 2, scoreForm: .probability, inputMultiple: maps.multiple)
  }

  private static func yolo(_ maps: ManifestMaps) throws(Status) -> YOLOv5Face {
    let blobs = try maps.blobs("maps")
    var levels: [YOLOv5Face.Level] = []
    for (stride, map) in zip(maps.strides, blobs) {
      guard let anchors = YOLOv5Face.publishedAnchors[stride] else {
        throw Status(
          .failedPrecondition,
          "strides in model.json has \(stride); the anchors of YOLOv5-face are for 8, 16, 32")
      }
      levels.append(YOLOv5Face.Level(stride: stride, map: map, anchors: anchors))
    }
    return YOLOv5Face(levels: levels, inputMultiple: maps.multiple)
  }

  private static func yunet(_ maps: ManifestMaps) throws(Status) -> YuNet {
    let classification = try maps.blobs("cls")
    let objectness = try maps.blobs("obj")
    let box = try maps.blobs("box")
    let points = try maps.blobs("points")
    let levels = maps.strides.indices.map { index in
      YuNet.Level(
        stride: maps.strides[index], classification: classification[index], objectness: objectness[index],
        box: box[index], points: points[index])
    }
    return YuNet(levels: levels, inputMultiple: maps.multiple)
  }
}

/// The output blobs that a manifest names, one per stride for each kind.
private struct ManifestMaps {
  private let outputs: [String: [String]]
  private let family: String
  let strides: [Int]
  let multiple: Int

  init(_ manifest: ModelManifest) {
    outputs = manifest.outputs
    family = manifest.family
    strides = manifest.strides
    multiple = manifest.input.multiple
  }

  /// The blobs of `kind`. There is one per stride, as `ModelManifest` has checked.
  func blobs(_ kind: String) throws(Status) -> [String] {
    guard let names = outputs[kind] else {
      throw Status(
        .failedPrecondition,
        "outputs in model.json has no \"\(kind)\", which the family \(family) needs; see Models/README.md")
    }
    return names
  }

  func optionalBlobs(_ kind: String) throws(Status) -> [String]? {
    outputs[kind] == nil ? nil : try blobs(kind)
  }
}

extension InputSpecification {
  init(_ input: ModelManifest.Input) {
    self.init(
      blob: input.blob, colour: input.colour == "rgb" ? .rgb : .bgr, mean: input.mean, scale: input.scale)
  }
}
