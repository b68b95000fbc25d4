import CSandbox
import Posix
import Testing

@Suite struct SandboxTests {
  @Test func everyAllowedSystemCallHasAReason() {
    var number: Int32 = -1
    var rows = 0
    while let reason = face_sandbox_call_reason(rows, &number) {
      #expect(number >= 0)
      #expect(String(cString: reason).count > 3)
      rows += 1
    }
    #expect(rows > 50)
  }

  @Test func restrictionsHaveNames() {
    #expect(
      Sandbox.Restrictions.all.names
        == ["privileges", "files", "tcp", "abstract_sockets", "signals", "system_calls"])
    #expect(Sandbox.Restrictions().names == [])
  }
}
