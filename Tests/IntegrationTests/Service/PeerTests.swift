import Foundation
import TestSupport
import Testing

/// Third parties, with Debian's packages: ttrpc for Go and for Rust, built from our .proto, and systemd.
@Suite struct PeerTests {
  /// The exit status of a build if a package is missing, which it names.
  private static let notInstalled: Int32 = 77

  /// A client stops at the first check that fails, and names each one that passed; the one in Rust shows the face, too.
  @Test(arguments: [("go", 11, 0), ("rust", 7, 1)])
  func stockClientIsServed(language: String, checks: Int, faces: Int) throws {
    let folder = try TemporaryFolder()
    let client = folder.path("client")
    let build = try Command.run("Tests/Peers/\(language)/build.sh", [client])
    guard language == "go" || build.status != Self.notInstalled else {
      FileHandle.standardError.write(Data("SKIPPED: the Rust client, because \(build.errors)".utf8))
      return
    }
    try #require(build.status == 0, "\(build.errors)")
    let engine = try RunningEngine(arguments: ["--workers", "1"])
    let command = try Command.run(client, [engine.socket, Checkout.photo]).succeeded()
    let (found, held) = (
      command.lines.count { $0.hasPrefix("face: ") }, command.lines.count { $0.hasPrefix("ok: ") }
    )
    #expect(found == faces && held == checks && found + held == command.lines.count, "\(command.output)")
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// The units of Tools/systemd, which the tests of `ServiceManagerTests` only play.
  @Test func unitsServe() throws {
    let command = try Command.run("Tests/Peers/systemd/test.sh", [Checkout.build.path]).succeeded()
    if let reason = command.lines.first(where: { $0.hasPrefix("skipped: ") }) {
      return print("units under systemd: \(reason)")
    }
    #expect(command.lines.count { $0.hasPrefix("ok: ") } == 5, "\(command.output)")
  }
}
