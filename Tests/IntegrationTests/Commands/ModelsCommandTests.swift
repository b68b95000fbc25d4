import Foundation
import TestSupport
import Testing

/// Tests that `face-engine models` distinguishes valid files from missing and damaged ones.
@Suite struct ModelsCommandTests {
  @Test func fetchedModelsAreVerified() throws {
    let command = try Command.faceEngine(["models"]).succeeded()
    #expect(command.output.contains("yunet: "))
    // Each has a graph and weights; the detectors also have weights in eight bits, the mesh in 16.
    let packages = command.lines.filter { !$0.hasPrefix(" ") }.count
    #expect(command.lines.filter { $0.hasPrefix("  ok ") }.count == packages * 2 + 3)
    // None of them needs a plug-in.
    let ours = command.lines.filter { $0.hasPrefix("  runs on  fused kernels, ") }
    #expect(ours.count == packages, "\(command.output)")
  }

  /// Networks without a model.json are recognised by their graphs, or named with the reason why not.
  @Test func bareFoldersAreListedWithWhatRunsThem() throws {
    let folder = try TemporaryFolder()
    let manager = FileManager.default
    for name in ["mine", "other", "pictures"] {
      try manager.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    for (ending, file) in try Checkout.modelFiles() {
      try manager.copyItem(atPath: file, toPath: folder.path("mine/mine.\(ending)"))
    }
    func list() throws -> Command { try Command.faceEngine(["models", "--models", folder.path]) }
    let right = try list()
    #expect(right.status == 0, "\(right.errors)")
    #expect(right.lines.first == "mine: YuNet, inferred from its graph")
    #expect(right.lines.contains("  detector, family yunet, licence NOASSERTION"))
    #expect(right.lines.last?.hasPrefix("  runs on  fused kernels") == true, "\(right.output)")

    try folder.write("other/other.param", "no graph".utf8)
    try folder.write("other/other.bin", [])
    let wrong = try list()
    #expect(wrong.status == 1 && wrong.output == right.output)
    #expect(wrong.errors.contains("/other") && wrong.errors.contains("not an ncnn graph"))

    let none = try Command.faceEngine(["models", "--models", folder.path("pictures")])
    #expect(none.status == 1 && none.errors.contains("no model in"))
  }

  @Test func onnxFilesAreListed() throws {
    let folder = try TemporaryFolder()
    let network = try Fixture.bytes("Tests/Fixtures/onnx/yunet.onnx")
    try folder.write("mine.onnx", network)
    let right = try Command.faceEngine(["models", "--models", folder.path]).succeeded()
    #expect(right.lines.first == "mine: YuNet, inferred from its graph")
    #expect(right.lines.contains("  present  mine.onnx, \(network.count) bytes, without a hash to verify"))
    #expect(right.lines.last?.hasPrefix("  runs on  fused kernels") == true, "\(right.output)")

    try folder.write("other/other.onnx", try Fixture.bytes("Tests/Fixtures/onnx/unknown_operator.onnx"))
    let wrong = try Command.faceEngine(["models", "--models", folder.path])
    #expect(wrong.status == 1 && wrong.output == right.output)
    #expect(wrong.errors.contains("/other: ") && wrong.errors.contains("GridSample"), "\(wrong.errors)")
  }

  @Test("S11: models that a user brings are listed", .needsBroughtModels, .needsNcnn)
  func broughtModelsAreListed() throws {
    let command = try Command.faceEngine(["models", "--models", Checkout.broughtModels]).succeeded()
    #expect(command.lines.contains("yolov5n-0.5: YOLOv5-face, inferred from its graph"))
    #expect(command.lines.contains("  runs on  ncnn"))
  }

  @Test func missingAndDamagedFilesAreNamed() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("yunet"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: "\(Checkout.model)/model.json", toPath: folder.path("yunet/model.json"))
    try folder.write("yunet/yunet.param", "7767517\n".utf8)
    let command = try Command.run(
      Checkout.engine, ["models", "--models", folder.path],
      environment: ["FACE_ENGINE_CACHE": folder.path("none")])
    #expect(command.status == 1)
    #expect(command.lines.contains { $0.hasPrefix("  damaged  yunet.param") })
    #expect(command.lines.contains { $0.hasPrefix("  missing  yunet.bin") && $0.contains("models fetch") })
  }

  /// An installed command has the list of models and no tools.
  @Test func fetchWithoutTheToolsSaysWhereTheyAre() throws {
    let folder = try TemporaryFolder()
    let command = try Command.run(
      Checkout.engine, ["models", "fetch", "--models", folder.path], environment: [:])
    #expect(command.status != 0)
    #expect(command.errors.contains("run `make models` in the source tree"))
  }

  /// A copy of the default detector without a model.json, as users bring networks.
  private func bareModel(in folder: TemporaryFolder) throws -> String {
    let path = folder.path("mine")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (ending, file) in try Checkout.modelFiles() where ending != "int8" {
      try FileManager.default.copyItem(atPath: file, toPath: "\(path)/mine.\(ending)")
    }
    return path
  }

  @Test func quantiseWritesWeightsInEightBits() throws {
    let folder = try TemporaryFolder()
    let model = try bareModel(in: folder)
    let photos = ["astronaut.png", "grace_hopper.jpg"].map { "\(Fixture.repository)/Examples/photos/\($0)" }
    let few = try Command.faceEngine(["models", "quantise", model] + photos)
    #expect(few.status == 1 && few.errors.contains("2 pictures are too few"), "\(few.errors)")

    let done = try Command.faceEngine(["models", "quantise", model] + (0..<4).flatMap { _ in photos })
    if done.errors.contains("Python has no ") {
      print("SKIPPED: making a network's numbers in eight bits, because \(done.errors)")
      return
    }
    #expect(done.status == 0, "\(done.errors)")
    let report = try JSONDecoder().decode(Report.self, from: Data(done.output.utf8))
    #expect(report.pictures == 8 && report.faces == 8 && report.foundInEightBits == 8)
    #expect(report.meanOverlap > 0.9 && report.maxConfidenceDifference < 0.1)
    let listed = try Command.faceEngine(["models", "--models", folder.path])
    #expect(listed.output.contains("there    mine.int8") && listed.output.contains(", 8 bits"))
  }

  private struct Report: Decodable {
    let pictures, faces, foundInEightBits: Int
    let meanOverlap, maxConfidenceDifference: Float
  }

  @Test("Networks that see scaled values are refused", .needsBroughtModels)
  func quantiseRefusesAFamilyWithScaledValues() throws {
    let command = try Command.faceEngine(
      ["models", "quantise", "\(Checkout.broughtModels)/yolov5n-0.5", Checkout.photo])
    #expect(command.status == 1 && command.errors.contains("scaled values"), "\(command.errors)")
  }

  @Test func fetchWithNothingToDoSucceeds() throws {
    #expect(try Command.faceEngine(["models", "fetch"]).status == 0)
    let unknown = try Command.faceEngine(["models", "fetch", "no-such-model"])
    #expect(unknown.status != 0)
    #expect(unknown.errors.contains("no-such-model"))
  }
}
