import FaceCore
import ModelStore
import TestSupport
import Testing

@Suite struct ModelCatalogTests {
  @Test func foldersWithAManifestAreListedByName() throws {
    let catalog = try TemporaryFolder()
    for file in ["b/model.json", "a/model.json", "c/README.md", "model.json"] {
      try catalog.write(file, "{}".utf8)
    }
    let folders = try ModelCatalog(path: catalog.path).folders()
    #expect(folders.map(\.path) == ["\(catalog.path)/a", "\(catalog.path)/b"])
  }

  @Test func aCatalogThatIsNotThereIsNamed() {
    expectFailure(.notFound, "/no/such/folder") { try ModelCatalog(path: "/no/such/folder").folders() }
  }

  @Test func theStandardModelIsInTheCatalog() {
    #expect(ModelCatalog(path: "/models").standardModel.path == "/models/yunet")
  }

  @Test func anInstalledModelIsKnownByItsName() throws {
    let installed = try ModelCatalog.standard()
    #expect(ModelCatalog.path(of: "facemesh") == "\(installed.path)/facemesh")
    for other in ["", "no such model", "facemesh/", "./facemesh", "/facemesh", "..", "Sources"] {
      #expect(ModelCatalog.path(of: other) == other)
    }
  }

  @Test func ancestorsAreTheFoldersAboveTheNearestFirst() {
    #expect(Paths.ancestors(of: "/a/b/c") == ["/a/b", "/a"])
    #expect(Paths.ancestors(of: "/a") == [])
    #expect(Paths.ancestors(of: "") == [])
    #expect(Paths.ancestors(of: "a/b") == ["a"])
  }
}
