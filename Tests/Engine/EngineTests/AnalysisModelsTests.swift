import Engine
import FaceCore
import Glibc
import ModelStore
import TestSupport
import Testing

/// The networks for landmarks and expressions beside the detector: once used, they are listed, tested and
/// reloaded as it is.
@Suite(.needsRealModel, .needsAnalysisModels) struct AnalysisModelsTests {
  private let folder: TemporaryFolder
  private let engine: Engine

  init() throws {
    folder = try TemporaryFolder()
    for name in ["yunet", "facemesh", "blendshapes"] {
      let package = try ModelPackage(folder: "\(Fixture.repository)/Models/\(name)")
      try folder.write("\(name)/model.json", try Fixture.bytes("Models/\(name)/model.json"))
      try folder.write("\(name)/\(name).param", package.graph)
      try folder.write("\(name)/\(name).bin", package.weights)
    }
    try folder.write("yunet/yunet.int8", try Fixture.bytes("Models/yunet/yunet.int8"))
    engine = try Engine(modelFolders: ["\(folder.path)/yunet"], catalog: ModelCatalog(path: folder.path))
  }

  private func detect() throws -> DetectionResult {
    let options = adjusted(DetectionOptions()) { $0.outputs = .all }
    return try engine.detect(file: Fixture.photo("astronaut.png"), options)
  }

  /// Only a package that is nowhere is missing.
  @Test func aPackageThatCannotBeReadIsNotReportedAsMissing() throws {
    let manifest = folder.path("facemesh/model.json")
    #expect(unlink(manifest) == 0)
    #expect(analysisFailure()?.code == .notFound)
    #expect(symlink("model.json", manifest) == 0)
    let problem = analysisFailure()
    #expect(problem?.code == .invalidArgument)
    #expect(problem?.message.contains("/facemesh/model.json") == true)
  }

  /// The error of measuring the landmarks of a box.
  private func analysisFailure() -> Status? {
    var options = DetectionOptions()
    options.outputs = .landmarks
    options.boxes = [Box(x: 10, y: 10, width: 40, height: 40)]
    return failure { () throws(Status) in
      try [UInt8](repeating: 0, count: 64 * 64).span.withUnsafeBytes { (bytes) throws(Status) in
        let layout = PixelLayout(format: .gray, width: 64, height: 64)
        _ = try engine.detect(ImageInput(.pixels(try layout.view(of: bytes))), options: options)
      }
    }
  }

  @Test func analysedFacesAreLimitedByTheOptions() throws {
    var options = DetectionOptions()
    options.outputs = .landmarks
    let face = try #require(try detect().faces.first)
    options.boxes = [face.box, face.box, face.box]
    for (limit, analysed) in [(0, 3), (1, 1), (2, 2), (3, 3), (9, 3)] {
      options.maxAnalysedFaces = limit
      let result = try engine.detect(file: Fixture.photo("astronaut.png"), options)
      #expect(result.faces.map { $0.landmarks != nil } == (0..<3).map { $0 < analysed })
      #expect(result.unanalysedFaces == 3 - analysed)
    }
  }

  @Test func analysisModelsAreListedAndLoadedOnFirstUse() throws {
    #expect(engine.models.map(\.name) == ["yunet"])
    let before = try engine.listModels()
    #expect(before.filter(\.isLoaded).map(\.model.name) == ["yunet"])
    #expect(before.count == 3)
    _ = try detect()
    #expect(engine.models.map(\.role) == ["detector", "landmarks", "expressions"])
    #expect(engine.models.allSatisfy { !$0.engine.isEmpty })
    let after = try engine.listModels()
    #expect(after.map(\.model) == engine.models)
    #expect(after.allSatisfy { $0.isLoaded && !$0.title.isEmpty })
    try engine.selfTest()
  }

  @Test func analysisModelsAreReloadedUnlessOneIsDamaged() throws {
    expectFailure(.notFound) { try engine.reloadModels(named: "facemesh") }
    #expect(try engine.reloadModels(named: "").map(\.name) == ["yunet"])
    let first = try detect()
    #expect(try engine.reloadModels(named: "").map(\.name) == ["yunet", "facemesh", "blendshapes"])
    #expect(try engine.reloadModels(named: "blendshapes").map(\.name) == ["facemesh", "blendshapes"])
    #expect(try engine.reloadModels(named: "yunet").map(\.name) == ["yunet"])
    #expect(try detect() == first)
    try folder.write("facemesh/facemesh.bin", [1, 2, 3])
    for name in ["", "facemesh"] {
      expectFailure(.failedPrecondition, "facemesh") { try engine.reloadModels(named: name) }
    }
    try engine.selfTest()
    #expect(try detect() == first)
  }
}
