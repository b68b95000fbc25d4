public import FaceCore
import Posix

/// A folder of model packages, such as those installed with the engine.
public struct ModelCatalog: Sendable {
  /// The folder, with one subfolder per package.
  public let path: String

  public init(path: String) {
    self.path = path
  }

  /// Returns the first of: `$FACE_ENGINE_MODELS`; `share/face-engine/Models` or `Models` in a folder above
  /// the program or library that contains this code. An installation may thus be moved, and a checkout uses
  /// its own models. Throws `notFound` if there is none.
  public static func standard() throws(Status) -> ModelCatalog {
    if let path = Environment.value("FACE_ENGINE_MODELS") { return ModelCatalog(path: path) }
    for folder in Paths.ancestors(of: CurrentProcess.ownFile ?? "") {
      for path in ["\(folder)/share/face-engine/Models", "\(folder)/Models"]
      where FileSystem.isDirectory(path) {
        return ModelCatalog(path: path)
      }
    }
    throw Status(
      .notFound,
      "no models were found; install the Debian package face-engine-models, give a model's folder, or set FACE_ENGINE_MODELS to the models' folder"
    )
  }

  /// The path of a model that was given by its path or, if it is installed, by its name alone, as in
  /// "centerface". What is there under that path comes first.
  public static func path(of model: String) -> String {
    guard !model.isEmpty, !model.utf8.contains(UInt8(ascii: "/")),
      (try? FileSystem.isThere(model)) == false,
      let catalog = try? standard(),
      FileSystem.isDirectory("\(catalog.path)/\(model)")
    else { return model }
    return "\(catalog.path)/\(model)"
  }

  /// Every folder in the catalogue that has a `model.json`, by name.
  public func folders() throws(Status) -> [ModelFolder] {
    // One that cannot be searched counts as well: `manifest` says what is wrong.
    try FileSystem.names(in: path)
      .map { ModelFolder(path: "\(path)/\($0)") }
      .filter { (try? $0.hasManifest) != false }
  }

  /// Every network in the catalogue without a `model.json`, by name: folders and `.onnx` files; see
  /// `BareModel`.
  public func bareModels() throws(Status) -> [String] {
    var models: [String] = []
    for name in try FileSystem.names(in: path) where try BareModel.isThere("\(path)/\(name)") {
      models.append("\(path)/\(name)")
    }
    return models
  }

  /// The package that is used if none is named.
  public var standardModel: ModelFolder { ModelFolder(path: "\(path)/yunet") }
}

package enum Paths {
  /// The folders that contain a path, the nearest first, without the root.
  package static func ancestors(of path: String) -> [String] {
    var folders: [String] = []
    var rest = path
    while let slash = rest.lastSlash, slash != rest.startIndex {
      rest = String(rest[..<slash])
      folders.append(rest)
    }
    return folders
  }
}
