public import FaceCore
import Posix

/// A network without a `model.json`: a folder with one `.param` and the `.bin` of the same name, optionally
/// with an `.int8`, or with one `.onnx`; or an `.onnx` file by itself.
public struct BareModel: Sendable {
  public enum Content: Sendable {
    /// ncnn's graph (the `.param` file), its weights (the `.bin` file), and the weights in eight bits (the
    /// `.int8` file) if there are any.
    case ncnn(graph: [UInt8], weights: [UInt8], quantised: [UInt8]?)
    /// An `.onnx` file.
    case onnx([UInt8])

    public var quantised: [UInt8]? {
      if case .ncnn(_, _, let quantised) = self { quantised } else { nil }
    }
  }

  /// The name of the files without extension, as in "yolov5n-0.5".
  public let name: String
  public let content: Content

  /// The size limit for a graph, which is a text of some hundred lines.
  private static let maxGraphBytes = 8 << 20
  private static let onnxEnding = ".onnx"

  /// Whether `path` is a network, or a folder with one and without a `model.json`, as far as this process may
  /// know.
  static func isThere(_ path: String) throws(Status) -> Bool {
    do throws(Status) {
      guard FileSystem.isDirectory(path) else { return path.hasSuffix(onnxEnding) }
      if try ModelFolder(path: path).hasManifest { return false }
      return try !networks(in: path).isEmpty
    } catch {
      guard error.code == .permissionDenied else { throw error }
      return false
    }
  }

  /// The `.param` files in `folder`, or its `.onnx` files if it has none.
  private static func networks(in folder: String) throws(Status) -> [String] {
    let names = try FileSystem.names(in: folder)
    let graphs = names.filter { $0.hasSuffix(".param") && $0 != ".param" }
    return graphs.isEmpty ? names.filter { $0.hasSuffix(onnxEnding) && $0 != onnxEnding } : graphs
  }

  /// Throws `notFound` if there are no such files, and `failedPrecondition` if the folder has several
  /// networks.
  public init(path: String) throws(Status) {
    guard FileSystem.isDirectory(path) else {
      guard try FileSystem.isThere(path), path.hasSuffix(BareModel.onnxEnding) else {
        throw Status(
          .notFound,
          "\(path) is not a model folder, an .onnx file or an installed model; give a model's folder, an .onnx file, or a name "
            + "that `face-engine models` lists"
        )
      }
      try self.init(onnx: path)
      return
    }
    let networks = try BareModel.networks(in: path)
    guard let file = networks.first else {
      throw Status(
        .notFound,
        "\(path) has neither a model.json nor a .param nor an .onnx file; give the folder of a model, or an .onnx file"
      )
    }
    guard networks.count == 1 else {
      throw Status(
        .failedPrecondition,
        "\(path) has several networks (\(networks.joined(separator: ", "))); give each a folder of its own")
    }
    if file.hasSuffix(BareModel.onnxEnding) {
      try self.init(onnx: "\(path)/\(file)")
    } else {
      try self.init(graph: file, in: path)
    }
  }

  private init(onnx path: String) throws(Status) {
    let file = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    name = String(file.dropLast(BareModel.onnxEnding.count))
    content = .onnx(try File.read(path, limit: ModelPackage.maxFileBytes))
  }

  private init(graph file: String, in folder: String) throws(Status) {
    name = String(file.dropLast(".param".count))
    let graph = try File.read("\(folder)/\(file)", limit: BareModel.maxGraphBytes)
    guard try FileSystem.isThere("\(folder)/\(name).bin") else {
      throw Status(
        .notFound, "\(folder) has \(file) but no \(name).bin with its weights; put that file beside it")
    }
    let numbers = "\(folder)/\(name).int8"
    content = .ncnn(
      graph: graph, weights: try File.read("\(folder)/\(name).bin", limit: ModelPackage.maxFileBytes),
      quantised: try FileSystem.isThere(numbers)
        ? File.read(numbers, limit: ModelPackage.maxFileBytes) : nil)
  }
}
