import Foundation
import TestSupport
import Testing

/// A third-party client: ttrpc for Rust, built from our .proto with Debian's packages if those are installed.
@Suite struct RustClientTests {
  /// The exit status of the build if a package is missing, which it names.
  private static let notInstalled: Int32 = 77

  @Test func stockClientIsServed() throws {
    let folder = try TemporaryFolder()
    let client = folder.path("client")
    let build = try Command.run("Tests/Peers/rust/build.sh", [client])
    guard build.status != Self.notInstalled else {
      FileHandle.standardError.write(Data("SKIPPED: the Rust client, because \(build.errors)".utf8))
      return
    }
    try #require(build.status == 0, "\(build.errors)")
    let engine = try RunningEngine(arguments: ["--workers", "1"])
    let command = try Command.run(client, [engine.socket, Checkout.photo])
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    // It stops at the first check that fails, and names each one that passed.
    let (faces, held) = (
      command.lines.filter { $0.hasPrefix("face: ") }, command.lines.filter { $0.hasPrefix("ok: ") }
    )
    #expect(faces.count == 1 && held.count == 7 && faces.count + held.count == command.lines.count)
    #expect(engine.end(with: SIGTERM) == 0)
  }
}
