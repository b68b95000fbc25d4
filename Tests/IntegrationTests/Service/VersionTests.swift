import Foundation
import TestSupport
import Testing

/// Clients and engines of different versions. Those of another version are made of today's and of messages with more or
/// fewer fields; PythonClientTests has the client of the last release.
@Suite struct VersionTests {
  private static func laterMessages(in folder: TemporaryFolder) throws -> [String: String] {
    try Command.run(PythonClientTests.python, ["Tests/Peers/python/later.py", "messages", folder.path])
      .succeeded()
    return ["PYTHONPATH": folder.path, "PYTHONDONTWRITEBYTECODE": "1"]
  }

  @Test(.needsAnalysisModels) func whatALaterClientAsksForIsRefusedByName() throws {
    let folder = try TemporaryFolder()
    let environment = try Self.laterMessages(in: folder)
    let engine = try RunningEngine(arguments: ["--workers", "1"])
    let command = try Command.run(
      PythonClientTests.python, ["Tests/Peers/python/later.py", "calls", engine.socket, Checkout.photo],
      environment: environment
    ).succeeded()
    #expect(command.lines.filter { $0.hasPrefix("ok: ") }.count == 4)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// An engine of another version, which ends with its owner.
  private final class OtherEngine {
    let socket: String
    private let folder: TemporaryFolder
    private let program: InteractiveProgram

    init(_ version: String, of engine: RunningEngine) throws {
      folder = try TemporaryFolder()
      socket = folder.path("other.sock")
      program = try InteractiveProgram(
        [PythonClientTests.python, "Tests/Peers/python/other_engine.py", version, socket, engine.socket],
        environment: try VersionTests.laterMessages(in: folder))
      try #require(try program.line() == "ready", "\(program.errors)")
    }

    func run(_ arguments: [String]) throws -> Command {
      try Command.faceEngine(arguments + ["--socket", socket])
    }
  }

  /// Calls, a stream and a guided check.
  private static let commands = [
    ["detect", "--json", Checkout.photo, Checkout.otherPhoto],
    ["detect", "--json", "--track", "--landmarks", "--pose", Checkout.photo, Checkout.photo],
    ["check", "--still", "--mask", "268,227,160", Checkout.photo],
    ["check", "--mask", "268,227,160", "--fps", "10"] + Array(repeating: Checkout.photo, count: 20),
  ]

  @Test(.needsAnalysisModels, arguments: ["later", "older"])
  func todaysCommandGetsTheSameFromAnotherEngine(version: String) throws {
    let engine = try RunningEngine()
    let other = try OtherEngine(version, of: engine)
    for command in Self.commands {
      let (direct, through) = (try engine.run(command).succeeded(), try other.run(command).succeeded())
      #expect(through.output == direct.output, "\(command): \(through.errors)")
      #expect(!direct.output.isEmpty)
    }
    try other.run(["status"]).succeeded()
  }

  @Test(arguments: [
    (["detect", "--json", "--model-revision", "2", Checkout.photo], "options.model_revision"),
    (["detect", "--json", "--track", "--reidentify", Checkout.photo], "tracking.reidentify"),
  ])
  func anOlderEngineDoesNotIgnoreAnOption(command: [String], name: String) throws {
    let engine = try RunningEngine()
    try engine.run(command).succeeded()
    let refused = try OtherEngine("older", of: engine).run(command)
    #expect(refused.status == 1)
    #expect((refused.output + refused.errors).contains("does not know the field \(name) of"))
  }

  /// An output that the engine lacks is left out of --all, with a warning, and refused if its own flag requests it.
  @Test(
    .needsAnalysisModels,
    arguments: [
      ["detect", "--json"], ["detect", "--json", "--track"], ["watch"], ["check", "--still", "--mask", "268,227,160"],
    ])
  func allOutputsAreThoseOfAnOlderEngine(command: [String]) throws {
    let engine = try RunningEngine()
    let older = try OtherEngine("older", of: engine)
    let all = try older.run(command + ["--all", Checkout.photo]).succeeded()
    #expect(all.output.contains("\"precision\":") && !all.output.contains("\"gaze\":"))
    #expect(all.errors.contains("--all leaves out gaze; install a newer engine"))
    let direct = try engine.run(command + ["--all", Checkout.photo]).succeeded()
    #expect(direct.output.contains("\"gaze\":") && !direct.errors.contains("leaves out"))
    let refused = try older.run(command + ["--all", "--gaze", Checkout.photo])
    #expect((refused.output + refused.errors).contains("does not know the field options.gaze of"))
  }

  @Test(arguments: ["later", "older"]) func cProgramsWorkWithAnotherEngine(version: String) throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(["Examples/c/detect.c"], in: folder)
    let photo = try CLibraryTests.ppm(in: folder)
    let engine = try RunningEngine()
    let other = try OtherEngine(version, of: engine)
    let (direct, through) = (
      try Command.run(program, ["connect", engine.socket, photo]).succeeded(),
      try Command.run(program, ["connect", other.socket, photo]).succeeded()
    )
    #expect(through.output == direct.output && direct.lines.count == 1)
  }
}
