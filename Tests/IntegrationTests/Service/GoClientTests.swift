import Foundation
import TestSupport
import Testing

/// A third-party client: containerd's ttrpc for Go, built from our .proto with Debian's packages.
@Suite struct GoClientTests {
  @Test func stockClientIsServed() throws {
    let folder = try TemporaryFolder()
    let client = folder.path("client")
    let build = try Command.run("Tests/Peers/go/build.sh", [client])
    try #require(build.status == 0, "\(build.errors)")
    let engine = try RunningEngine(arguments: ["--workers", "1"])
    let command = try Command.run(client, [engine.socket, Checkout.photo])
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    // It stops at the first check that fails, and names each one that passed.
    #expect(command.lines.count == 11)
    #expect(command.lines.allSatisfy { $0.hasPrefix("ok: ") })
    #expect(engine.end(with: SIGTERM) == 0)
  }
}
