import Foundation
import TestSupport
import Testing

/// Whose engine a client talks to: another user's engine is sent nothing, unless root made its folder or it
/// was named.
@Suite(.enabled(if: geteuid() == 0, "only root can have a program run as another user"))
struct EngineUserTests {
  private static let user = 65534

  /// Listens as that user at its first argument, and prints how many bytes each client sends before it
  /// closes.
  private static let listener = [
    "python3", "-u", "-c",
    """
    import os, socket, sys
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    print("listening")
    while True:
        peer = listener.accept()[0]
        print(len(peer.recv(4096)))
        peer.close()
    """,
  ]

  /// A folder of that user, in one that only root can change or in /tmp.
  private func folder(in parent: String) throws -> String {
    let path = "\(parent)/fe-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(chown(path, uid_t(Self.user), gid_t(Self.user)) == 0)
    return path
  }

  private func status(_ socket: String, _ flags: [String] = []) throws -> Command {
    try Command.faceEngine(["status", "--socket", socket] + flags)
  }

  @Test func engineOfAnotherUserIsSentNothing() throws {
    let folder = try folder(in: "/tmp")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let listener = try InteractiveProgram(Self.listener + ["\(folder)/s"])
    #expect(try listener.line() == "listening")
    let refused = try status("\(folder)/s")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("runs as uid \(Self.user)"))
    #expect(refused.errors.contains("--engine-user \(Self.user)"))
    #expect(try listener.line() == "0")
    // Streams and detections behave alike.
    for command in ["detect", "watch"] {
      let other = try Command.faceEngine([command, "--socket", "\(folder)/s", Checkout.photo])
      #expect(other.status == 1)
      #expect(other.errors.contains("--engine-user \(Self.user)"))
      #expect(try listener.line() == "0")
    }
    for name in ["\(Self.user)", "nobody"] {
      let named = try status("\(folder)/s", ["--engine-user", name])
      #expect(named.errors.contains("closed the connection"), "\(named.errors)")
      #expect(try (listener.line().flatMap { Int($0) } ?? 0) > 0)
    }
    #expect(try status("\(folder)/s", ["--engine-user", "no such user"]).errors.contains("no such user"))
  }

  @Test func engineInAUsersFolderMadeByRootIsTrusted() throws {
    let folder = try folder(in: "/run")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let listener = try InteractiveProgram(Self.listener + ["\(folder)/s"])
    #expect(try listener.line() == "listening")
    #expect(try status("\(folder)/s").errors.contains("closed the connection"))
    #expect(try (listener.line().flatMap { Int($0) } ?? 0) > 0)
    // Other users could have made the socket.
    #expect(chmod(folder, 0o777) == 0)
    #expect(try status("\(folder)/s").errors.contains("--engine-user"))
    #expect(try listener.line() == "0")
  }
}
