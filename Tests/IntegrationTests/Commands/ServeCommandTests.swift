import Foundation
import TestSupport
import Testing

/// What `face-engine serve` refuses to do.
@Suite struct ServeCommandTests {
  @Test func refusesToTakeALiveEnginesSocket() throws {
    let engine = try RunningEngine()
    let second = try engine.run(["serve", "--model", Checkout.model])
    #expect(second.status == 1)
    #expect(second.errors.contains(engine.socket))
    #expect(try engine.run(["detect", Checkout.photo]).status == 0)
  }

  @Test func leavesAFileThatIsNoSocketAlone() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("face-engine.sock", "precious".utf8)
    let command = try Command.faceEngine(["serve", "--socket", file, "--model", Checkout.model])
    #expect(command.status == 1)
    #expect(command.errors.contains(file))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
  }

  @Test func damagedModelIsReported() throws {
    let folder = try TemporaryFolder()
    let command = try Command.faceEngine([
      "serve", "--socket", folder.path("s"), "--model", folder.path("none"),
    ])
    #expect(command.status == 1)
    #expect(command.errors.contains(folder.path("none")))
    #expect(!FileManager.default.fileExists(atPath: folder.path("s")))
  }
}
