import Foundation
import TestSupport
import Testing

/// The Python example, which was written from PROTOCOL.md: it uses only python3-protobuf and our .proto.
@Suite struct PythonClientTests {
  /// Debian's own Python, since another one in PATH lacks its packages.
  static let python = "/usr/bin/python3"

  /// Compiles the messages of today, or of the last release.
  static func messages(of proto: String = "Proto", in folder: TemporaryFolder) throws -> [String: String] {
    try Command.run(
      "protoc",
      ["--python_out=\(folder.path)", "-I", proto, "-I", "Proto", "face_engine.proto", "ttrpc.proto"]
    ).succeeded()
    return ["PYTHONPATH": folder.path, "PYTHONDONTWRITEBYTECODE": "1"]
  }

  @Test func exampleFindsTheFace() throws {
    let folder = try TemporaryFolder()
    let environment = try Self.messages(in: folder)
    let engine = try RunningEngine()
    let program = "Examples/python/face_client.py"
    let command = try Command.run(
      Self.python, [program, engine.socket, Checkout.photo], environment: environment
    ).succeeded()
    #expect(command.output == "\(Checkout.photo): a face at 177 120, 181 x 218 pixels\n")
    let refused = try Command.run(
      Self.python, [program, engine.socket, program], environment: environment)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("INVALID_ARGUMENT: "))
    #expect(refused.errors.contains("does not begin like a JPEG"))
  }

  @Test(arguments: ["Proto", "Proto/baseline"]) func everyKindOfCallWorksFromPython(proto: String) throws {
    let folder = try TemporaryFolder()
    let environment = try Self.messages(of: proto, in: folder)
    let pixels = try CLibraryTests.ppm(in: folder)
    let engine = try RunningEngine(arguments: ["--workers", "1"])
    let command = try Command.run(
      Self.python, ["Tests/Peers/python/check.py", engine.socket, Checkout.photo, pixels],
      environment: environment
    ).succeeded()
    #expect(command.lines.filter { $0.hasPrefix("ok: ") }.count >= 3)
    #expect(command.lines.contains("ok: guided_check"))
    for line in command.lines where line.hasPrefix("skipped: ") { print("Python client: \(line)") }
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func exampleHasFewerThan250Lines() throws {
    let path = Checkout.root.appending(path: "Examples/python/face_client.py")
    let source = try String(contentsOf: path, encoding: .utf8)
    #expect(source.count { $0 == "\n" } < 250)
  }
}
