import Detection
public import FaceCore
import Inference
public import ModelStore
import ONNX

/// How the networks of detectors run.
struct NetworkSettings {
  var threads = 1
  var precision = Precision.best
  var runtime = NetworkRuntime.automatic
}

/// A face detector, described by a `model.json` or inferred from its graph.
struct DetectorPackage {
  /// The role's name in model.json.
  static let role = "detector"

  /// Whether there is a `model.json`.
  let isDescribed: Bool
  let info: ModelInfo
  let title: String
  let family: any DetectorFamily
  let input: InputSpecification
  private let source: Source
  private let settings: NetworkSettings

  private enum Source {
    case ncnn(graph: [UInt8], weights: [UInt8], quantised: [UInt8]?)
    /// A network that was loaded to find the maps in which it ends, and its file.
    case loaded(any Network, file: [UInt8])
  }

  /// Throws like `ModelPackage`, `BareModel` or `ONNXImporter`, like the detector family, and like `NetworkPlugin` for
  /// one that was chosen.
  /// - Parameter path: the path of a folder or an `.onnx` file.
  init(path: String, _ settings: NetworkSettings) throws(Status) {
    if try ModelFolder(path: path).hasManifest {
      try self.init(try ModelPackage(folder: path), settings)
    } else {
      try self.init(try BareModel(path: path), settings)
    }
  }

  fileprivate init(_ package: ModelPackage, _ settings: NetworkSettings = .init()) throws(Status) {
    let manifest = package.manifest
    guard manifest.role == Self.role else {
      throw Status(
        .failedPrecondition,
        "model.json gives this network the role \"\(manifest.role)\", but a detector is needed; give the folder of a "
          + "detector (networks for landmarks and expressions are found beside it)")
    }
    isDescribed = true
    info = ModelInfo(manifest)
    title = manifest.title
    family = try detectorFamily(
      named: manifest.family, outputs: manifest.outputs, strides: manifest.strides,
      inputMultiple: manifest.input.multiple)
    input = InputSpecification(manifest.input)
    source = .ncnn(graph: package.graph, weights: package.weights, quantised: package.quantised)
    self.settings = settings
  }

  fileprivate init(_ model: BareModel, _ settings: NetworkSettings = .init()) throws(Status) {
    let detector: InferredDetector
    switch model.content {
    case .ncnn(let graph, let weights, let quantised):
      detector = try InferredDetector(graph: graph)
      source = .ncnn(graph: graph, weights: weights, quantised: quantised)
    case .onnx(let file):
      if case .plugin(let name, let options) = settings.runtime,
        case let plugin = try NetworkPlugin.named(name), plugin.takesONNX
      {
        let network: any Network
        (detector, network) = try DetectorPackage.loadONNX(file, plugin, options, threads: settings.threads)
        source = .loaded(network, file: file)
      } else {
        let network = try ONNXImporter.network(file)
        detector = try InferredDetector(graph: network.graph, normalisation: network.normalisation)
        source = .ncnn(graph: network.graph, weights: network.weights, quantised: nil)
      }
    }
    isDescribed = false
    // The SPDX term for a licence that is not stated.
    info = ModelInfo(
      name: model.name, family: detector.familyName, licence: "NOASSERTION", revision: 1)
    title = detector.title
    family = detector.family
    input = detector.input
    self.settings = settings
  }

  /// The size of the empty image by which maps are recognised: a multiple of every stride, and not square.
  private static let probe = PixelSize(width: 320, height: 256)

  /// Loads an ONNX file for a plug-in that takes such files.
  private static func loadONNX(
    _ file: [UInt8], _ plugin: NetworkPlugin, _ options: String, threads: Int
  ) throws(Status) -> (InferredDetector, any Network) {
    let trimmed = try TrimmedNetwork(file)
    let network = try PluginNetwork(
      onnx: trimmed.file, inputs: [trimmed.input], threads: threads, options: options, plugin: plugin)
    do throws(Status) {
      return (try detector(of: trimmed, network, on: probe), network)
    } catch {
      // Its layers may be made for the file's own size.
      guard let size = trimmed.size, size != probe,
        var detector = try? detector(of: trimmed, network, on: size)
      else { throw error }
      detector.limit(to: size)
      return (detector, FixedSizeNetwork(network, size: size))
    }
  }

  private static func detector(
    of trimmed: TrimmedNetwork, _ network: any Network, on size: PixelSize
  ) throws(Status) -> InferredDetector {
    let outputs = trimmed.outputs.map {
      InferredDetector.MapName(blob: $0.name, isProbability: $0.isProbability)
    }
    return try InferredDetector(
      running: network, on: size, input: trimmed.input, outputs: outputs,
      normalisation: trimmed.normalisation)
  }
}

extension DetectorPackage {
  /// Loads the network, if it was not loaded already. Throws like `NetworkLoader.load`.
  func network() throws(Status) -> any Network {
    switch source {
    case .loaded(let network, _): return network
    case .ncnn(let graph, let weights, let quantised):
      if case .plugin(let name, _) = settings.runtime, try !NetworkPlugin.named(name).takesNcnn {
        throw Status(
          .failedPrecondition,
          "\(name) runs .onnx files, but this model is in ncnn's format; give an .onnx file, or leave out the engine"
        )
      }
      return try NetworkLoader.load(
        graph: graph, weights: weights, quantised: quantised, precision: settings.precision,
        inputBlob: input.blob, outputs: family.outputs, threads: settings.threads, runtime: settings.runtime)
    }
  }

  /// The hash of the weights with which `network` runs.
  func weightsHash(of network: any Network) -> [UInt8] {
    switch source {
    case .loaded(_, let file): SHA256.digest(file)
    case .ncnn(_, let weights, let quantised):
      SHA256.digest(network.isQuantised ? quantised ?? weights : weights)
    }
  }
}

extension ModelPackage {
  /// Describes in a few words what runs the network on this machine. Throws errors of loading it.
  public func runtime() throws(Status) -> String {
    manifest.role == DetectorPackage.role
      ? try DetectorPackage(self).network().runtime : try network().runtime
  }
}

extension BareModel {
  /// The model as inferred from its graph, and what runs it on this machine. Throws errors of loading it.
  public func inferred() throws(Status) -> (info: ModelInfo, title: String) {
    let package = try DetectorPackage(self)
    var info = package.info
    info.engine = try package.network().runtime
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

extension InputSpecification {
  init(_ input: ModelManifest.Input) {
    self.init(
      blob: input.blob, colour: input.colour == "rgb" ? .rgb : .bgr, mean: input.mean, scale: input.scale)
  }
}
