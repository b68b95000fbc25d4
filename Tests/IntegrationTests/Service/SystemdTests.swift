import Foundation
import Testing

/// The units of Tools/systemd under systemd itself, which the tests of `ServiceManagerTests` only play.
@Suite struct SystemdTests {
  @Test func unitsServe() throws {
    let command = try Command.run("Tests/Peers/systemd/test.sh", [Checkout.build.path])
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    if let reason = command.lines.first(where: { $0.hasPrefix("skipped: ") }) {
      return print("units under systemd: \(reason)")
    }
    #expect(command.lines.count { $0.hasPrefix("ok: ") } == 5, "\(command.output)")
  }
}
