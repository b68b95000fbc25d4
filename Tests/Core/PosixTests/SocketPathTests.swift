import FaceCore
import Posix
import Testing

@Suite struct SocketPathTests {
  @Test func emptyLongAndNULPathsAreRefused() throws {
    #expect(throws: Status.self) { try SocketPath("") }
    #expect(throws: Status.self) { try SocketPath("a\0b") }
    #expect(throws: Never.self) { try SocketPath(String(repeating: "a", count: 107)) }
    let long = #expect(throws: Status.self) { try SocketPath(String(repeating: "a", count: 108)) }
    #expect(long?.message.contains("108") == true)
    #expect(long?.message.contains("107") == true)
  }
}
