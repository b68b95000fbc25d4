import CMessageDigest
public import FaceCore
import Posix

/// A model package whose files have been read and verified.
public struct ModelPackage: Sendable {
  public let manifest: ModelManifest
  /// The `.param` file.
  public let graph: [UInt8]
  /// The `.bin` file.
  public let weights: [UInt8]
  /// The `.int8` or `.int16` file, if the package has one.
  public let quantised: [UInt8]?

  /// The size limit for a file, far above that of any face network.
  static let maxFileBytes = 256 << 20

  /// Reads the package in `folder`. Files that are not next to its `model.json` are read from the cache.
  /// Throws `notFound` for a missing folder or file, `failedPrecondition` for a damaged one.
  public init(folder: String) throws(Status) {
    manifest = try ModelFolder(path: folder).manifest()
    graph = try ModelFolder(path: folder).read(manifest.graph)
    weights = try ModelFolder(path: folder).read(manifest.weights)
    if let file = manifest.quantised {
      quantised = try ModelFolder(path: folder).read(file)
    } else {
      quantised = nil
    }
  }
}

/// A folder with a `model.json`.
public struct ModelFolder: Sendable {
  public let path: String
  /// The folder that is searched for files that are not in the package's.
  private let cache: String?

  public init(path: String) {
    self.init(path: path, cache: ModelCache.folder)
  }

  package init(path: String, cache: String?) {
    self.path = path
    self.cache = cache
  }

  public var hasManifest: Bool {
    get throws(Status) { try FileSystem.isThere("\(path)/model.json") }
  }

  /// The package `name` in the same catalogue; `nil` if there is none.
  public func sibling(_ name: String) throws(Status) -> ModelFolder? {
    guard let path = siblingPath(name) else { return nil }
    let folder = ModelFolder(path: path, cache: cache)
    return try folder.hasManifest ? folder : nil
  }

  /// The path of the package `name` in the same catalogue, whether that is there or not; `nil` if this one is
  /// not there. This one may be an `.onnx` file.
  public func siblingPath(_ name: String) -> String? {
    FileSystem.resolved(path).flatMap { Paths.ancestors(of: $0).first }.map { "\($0)/\(name)" }
  }

  /// Reads and checks `model.json`; the files it names are not touched.
  public func manifest() throws(Status) -> ModelManifest {
    do {
      return try ModelManifest(json: try File.read("\(path)/model.json", limit: 1 << 20))
    } catch {
      guard error.code != .notFound || FileSystem.isDirectory(path) else {
        throw Status(.notFound, "there is no model folder \(path); give the folder that has a model.json")
      }
      throw Status(error.code, "\(path): \(error.message)")
    }
  }

  /// Reads one file of the package and verifies its size and hash.
  public func read(_ file: ModelManifest.File) throws(Status) -> [UInt8] {
    guard let path = try location(of: file) else {
      throw Status(
        .notFound,
        "\(file.name) is neither in \(path) nor in the cache; run `face-engine models fetch`")
    }
    let wrongSize = Status(
      .failedPrecondition,
      "\(path) does not have the \(file.size) bytes that model.json gives; remove it and run `face-engine models fetch`"
    )
    let bytes: [UInt8]
    do {
      bytes = try File.read(path, limit: file.size)
    } catch {
      throw error.code == .outOfRange ? wrongSize : error
    }
    guard bytes.count == file.size else { throw wrongSize }
    guard SHA256.hexadecimal(bytes) == file.sha256 else {
      throw Status(
        .failedPrecondition,
        "\(path) does not have the sha256 that model.json gives; remove it and run `face-engine models fetch`"
      )
    }
    return bytes
  }

  /// Whether every file of the package is here or in the cache.
  public func hasFiles(of manifest: ModelManifest) throws(Status) -> Bool {
    for file in manifest.files where try location(of: file) == nil { return false }
    return true
  }

  /// The path of a file of the package, next to `model.json` or else in the cache; `nil` if it is in neither.
  public func location(of file: ModelManifest.File) throws(Status) -> String? {
    let cached = cache.map { "\($0)/\(file.sha256)/\(file.name)" }
    for place in ["\(path)/\(file.name)", cached].compactMap(\.self) where try FileSystem.isThere(place) {
      return place
    }
    return nil
  }
}

/// The cache of fetched weights, by hash, so that several checkouts and versions share it.
public enum ModelCache {
  /// The cache's folder: `$FACE_ENGINE_CACHE/models`, else `$XDG_CACHE_HOME/face-engine/models`, else
  /// `~/.cache/face-engine/models`.
  public static var folder: String? { folder(environment: Environment.value) }

  package static func folder(environment: (String) -> String?) -> String? {
    if let cache = environment("FACE_ENGINE_CACHE") { return "\(cache)/models" }
    if let cache = environment("XDG_CACHE_HOME") { return "\(cache)/face-engine/models" }
    return environment("HOME").map { "\($0)/.cache/face-engine/models" }
  }
}

/// SHA-256 through libmd. Source: FIPS 180-4.
package enum SHA256 {
  /// The digest as 64 lower-case hexadecimal digits.
  package static func hexadecimal(_ bytes: [UInt8]) -> String {
    String(
      decoding: digest(bytes).flatMap { [hexDigits[Int($0 >> 4)], hexDigits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The digest, 32 bytes.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var context = SHA2_CTX()
    SHA256Init(&context)
    SHA256Update(&context, bytes, bytes.count)
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256Final(&digest, &context)
    return digest
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}
