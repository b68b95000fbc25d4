import Foundation
import TestSupport
import Testing

/// The Python package over both libraries: its own suite, in an environment that is kept in the user's cache.
@Suite struct PythonPackageTests {
  @Test(.needsRealModel) func itsOwnSuiteHolds() throws {
    let command = try Command.run(
      PythonClientTests.python, ["Bindings/Python/tests/run.py", "-q"],
      environment: [
        "FACE_ENGINE_LIBRARIES": Checkout.build.path, "FACE_ENGINE_COMMAND": Checkout.engine,
        "FACE_ENGINE_MODELS": "Models".fromCheckout, "PYTHONDONTWRITEBYTECODE": "1",
      ],
      timeLimit: ChildProcess.timeLimit * 2)
    if command.status == 77 {
      FileHandle.standardError.write(
        Data("SKIPPED: every test of the Python package, because \(command.errors)".utf8))
      return
    }
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    for line in command.lines where line.contains("passed") { print("Python package: \(line)") }
  }
}
