import Foundation
import TestSupport
import Testing

/// Third parties, with Debian's packages: ttrpc for Go, built from our .proto, and systemd.
@Suite struct PeerTests {
  /// It stops at the first check that fails, and names each one that passed.
  @Test func stockClientIsServed() throws {
    let folder = try TemporaryFolder()
    let client = folder.path("client")
    try Command.run("Tests/Peers/go/build.sh", [client]).succeeded()
    let engine = try RunningEngine(arguments: ["--workers", "1"])
    let command = try Command.run(client, [engine.socket, Checkout.photo]).succeeded()
    let held = command.lines.count { $0.hasPrefix("ok: ") }
    #expect(held == 8 && held == command.lines.count, "\(command.output)")
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
