import FaceCore
import ModelStore
import TestSupport
import Testing

@Suite struct ModelFolderTests {
  private let package: TemporaryFolder
  private let cache: TemporaryFolder
  private let folder: ModelFolder
  /// tiny.param, which must read "graph".
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
    #expect(folder.location(of: graph) == "\(cache.path)/\(graph.sha256)/tiny.param")
    try package.write("tiny.param", "graph".utf8)
    #expect(folder.location(of: graph) == "\(package.path)/tiny.param")
    #expect(try folder.read(graph) == Array("graph".utf8))
  }

  @Test func aFileInTheCacheIsTakenByItsHash() throws {
    try cache.write("\(graph.sha256)/tiny.param", "graph".utf8)
    #expect(try folder.read(graph) == Array("graph".utf8))
    #expect(ModelFolder(path: package.path, cache: nil).location(of: graph) == nil)
  }

  @Test func aMissingFileIsSaidWithWhatToDo() {
    #expect(problem()?.code == .notFound)
    #expect(problem()?.message.contains("tiny.param") == true)
    #expect(problem()?.message.contains("face-engine models fetch") == true)
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
    #expect(problem()?.message.contains("is not a file") == true)
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
      let problem = failure { () throws(Status) in _ = try ModelFolder(path: path).manifest() }
      #expect(problem?.code == .notFound)
      #expect(problem?.message.contains(path) == true)
    }
    let empty = try TemporaryFolder()
    let problem = failure { () throws(Status) in _ = try ModelFolder(path: empty.path).manifest() }
    #expect(problem?.code == .notFound)
    #expect(problem?.message.contains("model.json") == true)
  }

  @Test func aDamagedManifestIsSaidWithItsFolder() throws {
    try package.write("model.json", "{".utf8)
    let problem = failure { () throws(Status) in _ = try folder.manifest() }
    #expect(problem?.code == .failedPrecondition)
    #expect(problem?.message.hasPrefix(package.path) == true)
  }
}
