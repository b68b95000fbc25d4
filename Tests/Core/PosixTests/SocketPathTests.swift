import FaceCore
import Foundation
import Posix
import TestSupport
import Testing

@Suite struct SocketPathTests {
  @Test func emptyLongAndNULPathsAreRefused() throws {
    #expect(throws: Status.self) { try SocketPath("") }
    #expect(throws: Status.self) { try SocketPath("a\0b") }
    #expect(throws: Never.self) { try SocketPath(String(repeating: "a", count: 107)) }
    expectFailure("108", "107") { try SocketPath(String(repeating: "a", count: 108)) }
  }

  /// A client finds the engine of its user first, then the service's, and names both if it finds neither. An
  /// engine of the user listens at the first, whatever is at the second.
  @Test func clientsFindTheServicesSocket() throws {
    let folder = try TemporaryFolder()
    let own = folder.path("face-engine.sock")
    let service = folder.path("service.sock")
    let stranger: UInt32 = 4_000_000_001  // has no folder in /run/user
    func found(runtimeFolder: String?) throws(Status) -> String {
      try SocketPath.ofClients(runtimeFolder: runtimeFolder, user: stranger, service: service).description
    }

    #expect(try found(runtimeFolder: folder.path) == own)
    expectFailure(service, "XDG_RUNTIME_DIR") { try found(runtimeFolder: nil) }

    // What is no socket is none.
    _ = try folder.write("service.sock", [])
    #expect(try found(runtimeFolder: folder.path) == own)
    try FileManager.default.removeItem(atPath: service)

    let listener = try SocketFile.claim(try SocketPath(service))
    #expect(try found(runtimeFolder: folder.path) == service)
    #expect(try found(runtimeFolder: nil) == service)
    #expect(try found(runtimeFolder: folder.path("missing")) == service)
    #expect(throws: Status.self) { try SocketPath.standard(runtimeFolder: nil, user: stranger) }
    #expect(try SocketPath.standard(runtimeFolder: folder.path, user: stranger).description == own)

    let nearer = try SocketFile.claim(try SocketPath(own))
    #expect(try found(runtimeFolder: folder.path) == own)
    let listening = [nearer.path.description, listener.path.description]
    #expect(listening == [own, service])
  }
}
