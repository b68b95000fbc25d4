import Foundation
import TestSupport
import Testing

/// Somebody else's client: ttrpc for Rust, built from our .proto with Debian's packages where those are installed.
@Suite struct RustClientTests {
  /// What the build ends with where a package is missing, which it names.
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
    // It stops at the first thing that does not hold, and says each that did.
    let (faces, held) = (
      command.lines.filter { $0.hasPrefix("face: ") }, command.lines.filter { $0.hasPrefix("ok: ") }
    )
    #expect(faces.count == 1 && held.count == 7 && faces.count + held.count == command.lines.count)
    #expect(engine.end(with: SIGTERM) == 0)
  }
}
