import Engine
import FaceCore
import Foundation
import ModelStore
import TestSupport
import Testing

/// Engines with several models, and folders without a model.json.
@Suite(.needsRealModel) struct ModelRegistryTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// The files of YuNet under another name, without a model.json.
  private func bare(_ name: String) throws -> String {
    let package = try RealModel.package()
    try folder.write("\(name)/\(name).param", package.graph)
    try folder.write("\(name)/\(name).bin", package.weights)
    return "\(folder.path)/\(name)"
  }

  private func detect(_ engine: Engine, _ change: (inout DetectionOptions) -> Void = { _ in }) throws
    -> DetectionResult
  {
    var options = DetectionOptions()
    change(&options)
    return try engine.detect(file: Fixture.photo("astronaut.png"), options)
  }

  /// An engine with a copy of the package, which can be changed.
  private func ownEngine() throws -> Engine {
    let path = try bare("yunet")
    try folder.write("yunet/yunet.int8", try Fixture.bytes("Models/yunet/yunet.int8"))
    try folder.write("yunet/model.json", try Fixture.bytes("Models/yunet/model.json"))
    return try Engine(modelFolders: [path])
  }

  @Test func bareFolderFindsTheSameFacesAsItsPackage() throws {
    let engine = try Engine(modelFolders: [try bare("mine")])
    let runner = try #require(engine.models.first?.engine)
    let hash = try #require(engine.models.first?.weightsHash)
    #expect(
      engine.models
        == [
          ModelInfo(
            name: "mine", family: "yunet", licence: "NOASSERTION", engine: runner, revision: 1,
            weightsHash: hash)
        ])
    #expect(hash.count == 32)
    #expect(runner.hasPrefix("fused kernels"))
    // The folder has no weights in eight bits.
    let package = try detect(try Engine.yunet(precision: .float))
    #expect(try detect(engine).faces == package.faces)
    #expect(package.models.map(\.weightsHash) == [hash] && package.models.map(\.name) == ["yunet"])
    try engine.selfTest()
  }

  /// A released engine finds and reports the same as before.
  @Test(.needsAnalysisModels) func releasedModelsAreReloadedByTheNextCall() throws {
    let engine = try Engine.yunet()
    #expect(engine.releaseModels() && engine.hasReleasedModels)
    let adjust = { (options: inout DetectionOptions) in
      (options.outputs, options.accuracy) = (.landmarks, .high)
    }
    let before = try detect(engine, adjust)
    let models = engine.models
    #expect(before.faces.first?.landmarks != nil && !engine.hasReleasedModels)
    #expect(engine.releaseModels() && engine.hasReleasedModels)
    #expect(!engine.releaseModels())
    #expect(engine.models == models)
    // This neither tests nor loads anything.
    try engine.selfTest()
    #expect(engine.hasReleasedModels)
    let after = try detect(engine, adjust)
    #expect(after.faces == before.faces && after.models == before.models)
    #expect(engine.releaseModels())
    #expect(try engine.reloadModels(named: "").map(\.name) == models.map(\.name))
    #expect(!engine.hasReleasedModels)
  }

  /// A released model with damaged files fails calls and tests until the files are whole again.
  @Test func releasedModelThatCannotBeReloadedFailsCalls() throws {
    let engine = try ownEngine()
    #expect(engine.releaseModels())
    try folder.write("yunet/yunet.bin", [1, 2, 3])
    expectFailure(.failedPrecondition, folder.path("yunet")) { try engine.detectNothing() }
    expectFailure(.failedPrecondition) { try engine.selfTest() }
    try folder.write("yunet/yunet.bin", RealModel.package().weights)
    try engine.selfTest()
    #expect(!engine.hasReleasedModels)
  }

  @Test func aReloadWithoutTheModelJSONKeepsTheModel() throws {
    let engine = try ownEngine()
    let before = engine.models
    try FileManager.default.removeItem(atPath: folder.path("yunet/model.json"))
    expectFailure(.failedPrecondition, "\(folder.path("yunet")) no longer has its model.json") {
      try engine.reloadModels(named: "")
    }
    #expect(engine.models == before)
    try engine.selfTest()
    try folder.write("yunet/model.json", try Fixture.bytes("Models/yunet/model.json"))
    #expect(try engine.reloadModels(named: "").map(\.name) == ["yunet"])
  }

  @Test(.needsAnalysisModels, arguments: ["facemesh", "blendshapes"])
  func landmarkNetworkIsRefusedAsDetector(name: String) throws {
    let path = "\(Fixture.repository)/Models/\(name)"
    expectFailure(.failedPrecondition, path, "a detector is needed") { try Engine(modelFolders: [path]) }
    // The same network without its model.json.
    let package = try ModelPackage(folder: path)
    try folder.write("bare/\(name).param", package.graph)
    try folder.write("bare/\(name).bin", package.weights)
    expectFailure(.failedPrecondition) { try Engine(modelFolders: [folder.path("bare")]) }
  }

  @Test func aModelIsChosenByItsName() throws {
    let engine = try Engine(
      modelFolders: [RealModel.folder, try bare("one"), try bare("two")], precision: .float)
    #expect(engine.models.map(\.name) == ["yunet", "one", "two"])
    let first = try detect(engine)
    for name in ["yunet", "one", "two"] {
      let found = try detect(engine) { $0.model = name }
      #expect(found.faces == first.faces && found.models.map(\.name) == [name])
    }
    expectFailure(.notFound, "\"three\"", "\"yunet\"", "\"one\"", "\"two\"") {
      try detect(engine) { $0.model = "three" }
    }
    #expect(try engine.listModels().filter(\.isLoaded).map(\.model.name) == ["yunet", "one", "two"])
  }

  @Test func reloadReplacesOneOrAllModelsOrNone() throws {
    let one = try bare("one")
    let engine = try Engine(modelFolders: [RealModel.folder, one])
    #expect(try engine.reloadModels(named: "").map(\.name) == ["yunet", "one"])
    #expect(try engine.reloadModels(named: "one").map(\.name) == ["one"])
    expectFailure(.notFound) { try engine.reloadModels(named: "two") }
    try folder.write("one/one.bin", [1, 2, 3])
    for name in ["one", ""] {
      expectFailure(.failedPrecondition) { try engine.reloadModels(named: name) }
    }
    // The previous models stay in use.
    try engine.selfTest()
    #expect(try detect(engine) { $0.model = "one" }.faces.count == 1)
  }

  @Test func twoModelsOfOneNameAreRefused() throws {
    expectFailure(.alreadyExists, "\"yunet\"") {
      try Engine(modelFolders: [RealModel.folder, RealModel.folder])
    }
    expectFailure(.invalidArgument) { try Engine(modelFolders: []) }
  }

  @Test func folderWithoutAModelIsNamed() throws {
    let empty = "\(folder.path)/empty"
    try folder.write("empty/notes.txt", "".utf8)
    let several = try bare("several")
    try folder.write("several/other.param", "7767517".utf8)
    let weightless = try bare("weightless")
    try FileManager.default.removeItem(atPath: "\(weightless)/weightless.bin")
    let short = try bare("short")
    try folder.write("short/short.bin", [0, 0, 0, 0])
    let text = try bare("text")
    try folder.write("text/text.param", "what a day".utf8)
    let other = try bare("other")
    try folder.write(
      "other/other.param", "7767517\n2 2\nInput in 0 1 a\nConvolution c 1 1 a b 0=7 1=1 6=21".utf8)
    for (path, code, words) in [
      (empty, StatusCode.notFound, "neither a model.json nor a .param"),
      (several, .failedPrecondition, "other.param"),
      (weightless, .notFound, "weightless.bin"), (short, .failedPrecondition, ".bin"),
      (text, .failedPrecondition, "not an ncnn graph"), (other, .failedPrecondition, "7 at stride 1"),
      ("\(folder.path)/none", .notFound, "is not a model folder"),
    ] {
      expectFailure(code, path, words) { try Engine(modelFolders: [RealModel.folder, path]) }
    }
  }

  private func onnx(_ fixture: String) throws -> [UInt8] {
    try Fixture.bytes("Tests/Fixtures/onnx/\(fixture).onnx")
  }

  @Test func anONNXFileIsAModelAloneAndInAFolder() throws {
    let file = try folder.write("mine.onnx", onnx("yunet"))
    try folder.write("other/theirs.onnx", onnx("centerface"))
    let engine = try Engine(modelFolders: [file, "\(folder.path)/other"])
    #expect(engine.models.map(\.name) == ["mine", "theirs"])
    #expect(engine.models.map(\.family) == ["yunet", "centerface"])
    #expect(engine.models.allSatisfy { $0.licence == "NOASSERTION" && $0.engine.hasPrefix("fused kernels") })
    // Its weights are random, so its faces mean nothing.
    _ = try detect(engine) { $0.minConfidence = 1 }
    try folder.write("mine.onnx", onnx("unknown_operator"))
    expectFailure(.unimplemented, file, "GridSample") { try engine.reloadModels(named: "mine") }
    #expect(engine.models.map(\.name) == ["mine", "theirs"])
  }

  @Test func ncnnsFilesComeBeforeAnONNXFileBesideThem() throws {
    let path = try bare("both")
    try folder.write("both/source.onnx", "no network".utf8)
    #expect(try Engine(modelFolders: [path]).models.first?.name == "both")
  }

  @Test func anONNXFileThatIsNoDetectorIsNamed() throws {
    let text = try folder.write("text.onnx", "what a day".utf8)
    let other = try folder.write("other.onnx", onnx("convolutions"))
    try folder.write("two/a.onnx", onnx("yunet"))
    try folder.write("two/b.onnx", onnx("yunet"))
    for (path, code, words) in [
      (text, StatusCode.failedPrecondition, "not a protobuf message"),
      (other, .failedPrecondition, "2 at stride 2"),
      ("\(folder.path)/two", .failedPrecondition, "a.onnx, b.onnx"),
      ("\(folder.path)/none.onnx", .notFound, "an .onnx file"),
    ] {
      expectFailure(code, path, words) { try Engine(modelFolders: [RealModel.folder, path]) }
    }
  }

  /// Third-party networks that users provide; they are not in this repository.
  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: Self.brought),
      "there are no models to bring in \(Self.brought)"),
    .needsNcnn,
    arguments: [("yolov5n-0.5", "yolov5-face"), ("scrfd_500m_kps", "scrfd")])
  func modelsBroughtByAUserAreKnown(name: String, family: String) throws {
    let engine = try Engine(modelFolders: [RealModel.folder, "\(Self.brought)/\(name)"])
    let model = try #require(engine.models.last)
    #expect(
      model
        == ModelInfo(
          name: name, family: family, licence: "NOASSERTION", engine: "ncnn", revision: 1,
          weightsHash: model.weightsHash))
    #expect(model.weightsHash.count == 32)
    let reference = try #require(try detect(engine).faces.first)
    let points = try #require(reference.points)
    for accuracy in [Accuracy.balanced, .high] {
      let result = try detect(engine) { ($0.model, $0.accuracy) = (name, accuracy) }
      #expect(result.faces.count == 1)
      let face = try #require(result.faces.first)
      #expect(face.box.intersectionOverUnion(reference.box) > 0.75)
      let found = try #require(face.points)
      for part in [\FivePoints.leftEye, \.rightEye, \.noseTip, \.mouthLeft, \.mouthRight] {
        let x = found[keyPath: part].x - points[keyPath: part].x
        let y = found[keyPath: part].y - points[keyPath: part].y
        #expect((x * x + y * y).squareRoot() < 8)
      }
    }
  }

  private static let brought =
    URL(filePath: Fixture.repository).deletingLastPathComponent().appending(path: "shared/models").path
}

extension Engine {
  /// A call in a picture without a face.
  fileprivate func detectNothing() throws(Status) {
    let pixels = [UInt8](repeating: 0, count: 64 * 64)
    try pixels.span.withUnsafeBytes { (bytes) throws(Status) in
      let view = try ImageView(format: .gray, width: 64, height: 64, bytes: bytes)
      _ = try detect(ImageInput(.pixels(view)), options: DetectionOptions())
    }
  }
}
