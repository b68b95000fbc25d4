import Foundation
import TestSupport
import Testing

/// The engine under a service manager, played by the test: a socket is passed, states are reported.
@Suite struct ServiceManagerTests {
  /// Listens at its first argument, passes that socket as systemd does, and becomes the command that follows.
  private static let activator = [
    "python3", "-c",
    """
    import os, socket, sys
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    os.dup2(listener.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
    os.execv(sys.argv[2], sys.argv[2:])
    """,
  ]

  @Test func engineServesOnAPassedSocketAndLeavesItsFile() throws {
    let folder = try TemporaryFolder()
    let engine = try RunningEngine(
      in: folder, launcher: Self.activator + [folder.path("face-engine.sock")])
    #expect(try engine.run(["status"]).status == 0)
    #expect(!FileManager.default.fileExists(atPath: "\(engine.socket).lock"))
    #expect(engine.end(with: SIGTERM) == 0)
    // The file belongs to the manager.
    #expect(FileManager.default.fileExists(atPath: engine.socket))
  }

  @Test func passedSocketIsTakenOverAndItsFileStays() throws {
    let folder = try TemporaryFolder()
    let first = try RunningEngine(
      in: folder, launcher: Self.activator + [folder.path("face-engine.sock")])
    let second = try RunningEngine(in: folder, arguments: ["--take-over"])
    #expect(first.wait() == 0)
    #expect(try second.run(["detect", Checkout.photo]).status == 0)
    #expect(second.end(with: SIGTERM) == 0)
    #expect(FileManager.default.fileExists(atPath: second.socket))
  }

  @Test func refusesASocketThatIsNotTheOneNamed() throws {
    let folder = try TemporaryFolder()
    let command = try Command.run(
      "env",
      Self.activator + [
        folder.path("other"), Checkout.engine, "serve", "--socket", folder.path("s"), "--model",
        Checkout.model,
      ])
    #expect(command.status == 1)
    #expect(command.errors.contains(folder.path("other")))
  }

  @Test func refusesADescriptorThatIsNoSocket() throws {
    let launcher =
      "import os,sys; os.dup2(os.open('/dev/null', 0), 3); os.set_inheritable(3, True); "
      + "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1'); os.execv(sys.argv[1], sys.argv[1:])"
    let command = try Command.run(
      "python3", ["-c", launcher, Checkout.engine, "serve", "--model", Checkout.model])
    #expect(command.status == 1)
    #expect(command.errors.contains("service manager"))
  }

  @Test func engineReportsItsStateToTheServiceManager() throws {
    let folder = try TemporaryFolder()
    let news = try NewsSocket(folder.path("notify"))
    let engine = try RunningEngine(
      in: folder, environment: ["NOTIFY_SOCKET": folder.path("notify"), "WATCHDOG_USEC": "100000"])
    #expect(news.next() == "READY=1")
    // The watchdog is fed as long as the self-test passes.
    #expect(news.next() == "WATCHDOG=1")
    #expect(news.next() == "WATCHDOG=1")
    engine.signal(SIGHUP)
    #expect(news.next(but: "WATCHDOG=1").hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(news.next(but: "WATCHDOG=1") == "READY=1")
    engine.signal(SIGTERM)
    #expect(news.next(but: "WATCHDOG=1") == "STOPPING=1")
    #expect(engine.wait() == 0)
  }
}

/// The socket on which a service manager hears from its services.
final class NewsSocket {
  private let descriptor: Int32

  struct CannotBind: Error {}

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnixAddress(path) { bind(descriptor, $0, $1) }
    guard result == 0 else { throw CannotBind() }
  }

  deinit { close(descriptor) }

  /// Waits for the next message, the first that is not `other`. Empty if none came for a minute.
  func next(but other: String = "") -> String {
    while true {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
      if text != other { return text }
    }
  }
}
