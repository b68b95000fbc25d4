import Foundation
import TestSupport
import Testing

/// Clients that are not told where the engine is, on a machine with an engine that runs as a system service: in a
/// mount namespace with a /run of its own.
@Suite(.enabled(if: canHaveItsOwnRun, "there is no mount namespace to be had"))
struct StandardSocketTests {
  /// Runs a Bash script in which `$1` is the command and `$2` the socket of an engine that runs elsewhere.
  private func run(_ script: String, engine: String) throws -> Command {
    try Command.run(
      "unshare",
      [
        "--mount", "bash", "-euo", "pipefail", "-c", Self.preparation + script, "test", Checkout.engine,
        engine,
      ],
      environment: ["FACE_ENGINE_LIBRARIES": Checkout.build.path, "PYTHONDONTWRITEBYTECODE": "1"])
  }

  /// How often an engine was asked for the faces of a picture.
  private func calls(_ engine: RunningEngine) throws -> Int {
    let metrics = try Command.faceEngine(["status", "--openmetrics", "--socket", engine.socket])
    let name = "face_engine_calls_total{method=\"faceengine.v1.Detector/Detect\"} "
    let line = metrics.lines.first { $0.hasPrefix(name) }
    return try #require(line.flatMap { Int($0.dropFirst(name.count)) }, "\(metrics.output)")
  }

  private static let preparation = """
    mount -t tmpfs tmpfs /run
    mkdir /run/face-engine
    ln -s "$2" /run/face-engine/face-engine.sock
    unset XDG_RUNTIME_DIR

    """

  @Test func commandAndLibraryFindTheService() throws {
    let engine = try RunningEngine()
    let before = try calls(engine)
    let command = try run(
      """
      "$1" status | grep -F /run/face-engine/face-engine.sock
      PYTHONPATH=Bindings/Python python3 -c 'import faceengine; print("faces", len(faceengine.connect().detect("\(Checkout.photo)")))'
      "$1" detect "\(Checkout.photo)"
      """, engine: engine.socket)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    #expect(command.output.contains("faces 1\n"))
    // Neither has loaded a model of its own.
    #expect(try calls(engine) == before + 2)
  }

  /// The service's socket is no engine's own place: one that is started by hand listens where it did before, and
  /// is found first.
  @Test func enginesOfAUserStayWhereTheyWere() throws {
    let engine = try RunningEngine()
    let command = try run(
      """
      "$1" serve --model "\(Checkout.model)" 2>/dev/null &
      engine=$!
      "$1" status --wait-ready --socket /run/face-engine.sock
      "$1" status | grep -F /run/face-engine.sock
      kill "$engine"
      wait "$engine"
      """, engine: engine.socket)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
  }
}

private let canHaveItsOwnRun =
  (try? Command.run("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/run"]))?.status == 0
