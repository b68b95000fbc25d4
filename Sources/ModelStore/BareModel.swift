public import FaceCore
import Posix

/// A network without a `model.json`: a folder with one `.param` and the `.bin` of the same name, and perhaps an `.int8`.
public struct BareModel: Sendable {
  /// The files' name without its ending, as in "yolov5n-0.5".
  public let name: String
  /// The `.param` file.
  public let graph: [UInt8]
  /// The `.bin` file.
  public let weights: [UInt8]
  /// The `.int8` file, if there is one.
  public let quantised: [UInt8]?

  /// A graph is text of some hundred lines.
  private static let maxGraphBytes = 8 << 20

  /// Whether `folder` has a network and no `model.json` that describes it.
  static func isThere(_ folder: String) -> Bool {
    guard FileSystem.isDirectory(folder), !ModelFolder(path: folder).hasManifest else { return false }
    return (try? graphs(in: folder))?.isEmpty == false
  }

  private static func graphs(in folder: String) throws(Status) -> [String] {
    try FileSystem.names(in: folder).filter { $0.hasSuffix(".param") && $0 != ".param" }
  }

  /// Throws `notFound` for a folder without such files, `failedPrecondition` where several graphs are in it.
  public init(folder: String) throws(Status) {
    guard FileSystem.isDirectory(folder) else {
      throw Status(
        .notFound, "there is no model folder \(folder); give the folder that has the model's files")
    }
    let graphs = try BareModel.graphs(in: folder)
    guard let file = graphs.first else {
      throw Status(
        .notFound, "\(folder) has neither a model.json nor a .param file; give the folder of a model")
    }
    guard graphs.count == 1 else {
      throw Status(
        .failedPrecondition,
        "\(folder) has several networks (\(graphs.joined(separator: ", "))); give each a folder of its own")
    }
    let stem = String(file.dropLast(".param".count))
    name = stem
    graph = try File.read("\(folder)/\(file)", limit: BareModel.maxGraphBytes)
    guard FileSystem.isReadable("\(folder)/\(stem).bin") else {
      throw Status(
        .notFound, "\(folder) has \(file) and no readable \(stem).bin, its weights; put it beside it")
    }
    weights = try File.read("\(folder)/\(stem).bin", limit: ModelPackage.maxFileBytes)
    let numbers = "\(folder)/\(stem).int8"
    quantised =
      FileSystem.isReadable(numbers) ? try File.read(numbers, limit: ModelPackage.maxFileBytes) : nil
  }
}
