import Foundation
import TestSupport
import Testing

/// Faults of real processes: clients that are killed, descriptors that run out, an engine that is killed.
@Suite struct FaultTests {
  private func peer(
    _ fault: String, _ engine: RunningEngine, photo: Bool = false
  ) throws -> Command {
    let folder = try TemporaryFolder()
    return try Command.run(
      PythonClientTests.python,
      ["Tests/Peers/python/faults.py", fault, engine.socket] + (photo ? [Checkout.photo] : []),
      environment: try PythonClientTests.messages(in: folder), timeLimit: ChildProcess.timeLimit * 2)
  }

  /// The client is killed after each byte that it sends, and after each that it reads.
  @Test(arguments: ["killed", "answered"])
  func clientKilledAtAnyByteLeavesNothing(fault: String) throws {
    let engine = try RunningEngine()
    let before = try engine.holdingsAtRest()
    let command = try peer(fault, engine)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    #expect(command.lines.count == 7)
    try engine.expectSettles(at: before)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func engineOutOfDescriptorsServesOnAndRecovers() throws {
    let engine = try RunningEngine(
      arguments: ["--limit", "connections-per-user=100"], launcher: ["prlimit", "--nofile=32:32"])
    let before = try engine.holdingsAtRest()
    let command = try peer("descriptors", engine)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    #expect(try engine.logs("no descriptor is left"))
    try engine.expectSettles(at: before)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func engineKilledUnderLoadIsFoundAgain() throws {
    let folder = try TemporaryFolder()
    var engine = try RunningEngine(in: folder)
    let client = try InteractiveProgram(
      [
        PythonClientTests.python, "Tests/Peers/python/faults.py", "load", engine.socket, Checkout.photo,
      ], environment: try PythonClientTests.messages(in: folder))
    #expect(try client.line() == "begun")
    for _ in 0..<3 {
      #expect(engine.end(with: SIGKILL) == -SIGKILL)
      engine = try RunningEngine(in: folder)
      try client.write(Data("\n".utf8))
      #expect(try client.line() == "served")
    }
    try client.closeInput()
    #expect(try client.line()?.hasPrefix("ok: ") == true)
    #expect(client.wait() == 0, "\(client.errors)")
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func callThatOutlastsTheDrainIsUnavailableAndTheExitStatus1() throws {
    let folder = try TemporaryFolder()
    let engine = try RunningEngine(in: folder, arguments: ["--drain-timeout", "0.1"])
    let client = try InteractiveProgram(
      [PythonClientTests.python, "Tests/Peers/python/faults.py", "outlasting", engine.socket],
      environment: try PythonClientTests.messages(in: folder))
    #expect(try client.line() == "begun")
    #expect(engine.end(with: SIGTERM) == 1)
    #expect(try client.line()?.hasPrefix("ok: ") == true)
    #expect(client.wait() == 0, "\(client.errors)")
  }

  @Test func userIsServedBesideAnothersFlood() throws {
    let engine = try RunningEngine(arguments: ["--workers", "1", "--socket-mode", "0666"])
    let command = try peer("users", engine, photo: true)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    for line in command.lines where line.hasPrefix("skipped: ") { print("users: \(line)") }
  }

  @Test func refusalsDoNotFillTheLog() throws {
    let engine = try RunningEngine()
    let command = try Command.run(
      PythonClientTests.python,
      [
        "-c",
        """
        import socket, sys
        bad = bytes([0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10])
        for _ in range(20):
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(sys.argv[1])
            peer.sendall(bad * 100)
            peer.recv(4096)
            peer.close()
        """, engine.socket,
      ])
    #expect(command.status == 0, "\(command.errors)")
    #expect(try engine.logs("lines left out"))
    // 2000 calls were refused in a few seconds.
    #expect(try engine.log.components(separatedBy: "call refused").count < 500)
  }
}
