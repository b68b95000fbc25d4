import FaceCore
import Glibc
import ModelStore
import TestSupport
import Testing

@Suite struct ModelFolderTests {
  private let package: TemporaryFolder
  private let cache: TemporaryFolder
  private let folder: ModelFolder
  /// The file tiny.param, which must contain "graph".
  private let graph: ModelManifest.File

  init() throws {
    package = try TemporaryFolder()
    cache = try TemporaryFolder()
    folder = ModelFolder(path: package.path, cache: cache.path)
    try package.write("model.json", ManifestText.whole.utf8)
    graph = try folder.manifest().graph
  }

  private func problem() -> Status? {
    failure { () throws(Status) in _ = try folder.read(graph) }
  }

  @Test func aFileBesideItsManifestComesFirst() throws {
    try cache.write("\(graph.sha256)/tiny.param", "other".utf8)
    #expect(try folder.location(of: graph) == "\(cache.path)/\(graph.sha256)/tiny.param")
    try package.write("tiny.param", "graph".utf8)
    #expect(try folder.location(of: graph) == "\(package.path)/tiny.param")
    #expect(try folder.read(graph) == Array("graph".utf8))
  }

  @Test func aFileInTheCacheIsTakenByItsHash() throws {
    try cache.write("\(graph.sha256)/tiny.param", "graph".utf8)
    #expect(try folder.read(graph) == Array("graph".utf8))
    #expect(try ModelFolder(path: package.path, cache: nil).location(of: graph) == nil)
  }

  @Test func missingFileIsReportedWithAdvice() {
    #expect(problem()?.code == .notFound)
    #expect(problem()?.message.contains("tiny.param") == true)
    #expect(problem()?.message.contains("face-engine models fetch") == true)
  }

  /// A link to itself stands for all that keeps a process from looking, also where tests run as root.
  @Test func whatCannotBeLookedForIsNotReportedAsMissing() throws {
    #expect(symlink("tiny.param", package.path("tiny.param")) == 0)
    #expect(problem()?.code == .invalidArgument)
    #expect(problem()?.message.contains("tiny.param: stat failed") == true)
    let models = try TemporaryFolder()
    try models.write("described/tiny.param", "graph".utf8)
    #expect(symlink("model.json", models.path("described/model.json")) == 0)
    try models.write("bare/net.param", "graph".utf8)
    #expect(symlink("net.bin", models.path("bare/net.bin")) == 0)
    #expect(symlink("net.onnx", models.path("net.onnx")) == 0)
    let described = failure { () throws(Status) in
      _ = try ModelFolder(path: models.path("described")).manifest()
    }
    #expect(described?.code == .invalidArgument)
    for name in ["bare", "net.onnx"] {
      expectFailure(.invalidArgument, "Too many levels of symbolic links") {
        try BareModel(path: models.path(name))
      }
    }
    #expect(unlink(models.path("net.onnx")) == 0)
    // A catalogue lists what has a model.json, although it cannot be read.
    #expect(try ModelCatalog(path: models.path).folders().map(\.path) == [models.path("described")])
  }

  @Test(arguments: ["", "grap", "graphs", "graph and more", String(repeating: "graph", count: 1000)])
  func aFileOfAnotherSizeIsDamaged(text: String) throws {
    let path = try package.write("tiny.param", text.utf8)
    #expect(problem()?.code == .failedPrecondition)
    #expect(problem()?.message.contains("\(path) does not have the 5 bytes") == true)
  }

  @Test func aFileOfAnotherHashIsDamaged() throws {
    let path = try package.write("tiny.param", "grape".utf8)
    #expect(problem()?.code == .failedPrecondition)
    #expect(problem()?.message.contains("\(path) does not have the sha256") == true)
  }

  @Test func aFolderInTheFilesPlaceIsRefused() throws {
    try package.write("tiny.param/inside", "graph".utf8)
    #expect(problem()?.message.contains("is not a regular file") == true)
  }

  @Test func aPackageIsReadWhole() throws {
    try package.write("tiny.param", "graph".utf8)
    try package.write("tiny.bin", "weights".utf8)
    let read = try ModelPackage(folder: package.path)
    #expect(read.graph == Array("graph".utf8))
    #expect(read.weights == Array("weights".utf8))
    #expect(read.manifest.name == "tiny")
  }

  @Test func aFolderThatIsNotThereOrHasNoManifestIsNamed() throws {
    for path in ["\(package.path)/none", "\(package.path)/model.json"] {
      expectFailure(.notFound, path) { try ModelFolder(path: path).manifest() }
    }
    let empty = try TemporaryFolder()
    expectFailure(.notFound, "model.json") { try ModelFolder(path: empty.path).manifest() }
  }

  @Test func aDamagedManifestIsSaidWithItsFolder() throws {
    try package.write("model.json", "{".utf8)
    let problem = failure { () throws(Status) in _ = try folder.manifest() }
    #expect(problem?.code == .failedPrecondition)
    #expect(problem?.message.hasPrefix(package.path) == true)
  }
}

@Suite struct ModelCacheTests {
  private func folder(_ environment: [String: String]) -> String? {
    ModelCache.folder(environment: { environment[$0] })
  }

  @Test func mostSpecificEnvironmentVariableWins() {
    var environment = ["FACE_ENGINE_CACHE": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"]
    #expect(folder(environment) == "/a/models")
    environment["FACE_ENGINE_CACHE"] = nil
    #expect(folder(environment) == "/b/face-engine/models")
    environment["XDG_CACHE_HOME"] = nil
    #expect(folder(environment) == "/c/.cache/face-engine/models")
    environment["HOME"] = nil
    #expect(folder(environment) == nil)
  }
}

@Suite struct SHA256Tests {
  /// Source: NIST, "SHA-256 example values" (one and two blocks), and the million of "a" of FIPS 180-2, B.3.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ])
  func digestsAreThosePublished(text: String, digest: String) {
    #expect(SHA256.hexadecimal(Array(text.utf8)) == digest)
  }
}
