import Foundation
import TestSupport
import Testing

/// `face-engine models` tells right files from missing and damaged ones.
@Suite struct ModelsCommandTests {
  @Test func fetchedModelsAreVerified() throws {
    let command = try Command.faceEngine(["models"])
    #expect(command.status == 0)
    #expect(command.output.contains("yunet: "))
    // A graph and its weights each.
    let packages = command.lines.filter { !$0.hasPrefix(" ") }.count
    #expect(command.lines.filter { $0.hasPrefix("  ok ") }.count == packages * 2)
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

  @Test func fetchWithNothingToDoSucceeds() throws {
    #expect(try Command.faceEngine(["models", "fetch"]).status == 0)
    let unknown = try Command.faceEngine(["models", "fetch", "no-such-model"])
    #expect(unknown.status != 0)
    #expect(unknown.errors.contains("no-such-model"))
  }
}
