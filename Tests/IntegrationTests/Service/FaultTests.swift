import Foundation
import TestSupport
import Testing

/// What befalls real processes: clients that are killed, descriptors that run out, an engine that is killed.
@Suite struct FaultTests {
  private func peer(
    _ fault: String, _ engine: RunningEngine, photo: Bool = false
  ) throws -> Command {
    let folder = try TemporaryFolder()
    return try Command.run(
      PythonClientTests.python,
      ["Tests/Peers/python/faults.py", fault, engine.socket] + (photo ? [Checkout.photo] : []),
      environment: try PythonClientTests.messages(in: folder))
  }

  /// What a process holds: descriptors, threads, and mappings of offered memory.
  private struct Holdings: Equatable {
    let descriptors: Int
    let threads: Int
    let memories: Int

    init(of engine: RunningEngine) throws {
      let folder = "/proc/\(engine.process.processIdentifier)"
      descriptors = try engine.openDescriptors
      threads = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/task").count
      let maps = try String(contentsOfFile: "\(folder)/maps", encoding: .utf8)
      memories = maps.split(separator: "\n").count { $0.contains("/memfd:") }
    }
  }

  private func expectSettles(_ engine: RunningEngine, at before: Holdings) throws {
    for _ in 0..<250 where try Holdings(of: engine) != before { usleep(20_000) }
    #expect(try Holdings(of: engine) == before)
  }

  /// After each byte that it sends, and after each that it reads.
  @Test(.timeLimit(.minutes(5)), arguments: ["killed", "answered"])
  func clientKilledAtAnyByteLeavesNothing(fault: String) throws {
    let engine = try RunningEngine()
    let before = try Holdings(of: engine)
    let command = try peer(fault, engine)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    #expect(command.lines.count == 7)
    try expectSettles(engine, at: before)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test(.timeLimit(.minutes(2)))
  func engineOutOfDescriptorsServesOnAndRecovers() throws {
    let engine = try RunningEngine(
      arguments: ["--connections-per-user", "100"], launcher: ["prlimit", "--nofile=32:32"])
    let before = try Holdings(of: engine)
    let command = try peer("descriptors", engine)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    #expect(try engine.logs("no descriptor is left"))
    try expectSettles(engine, at: before)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test(.timeLimit(.minutes(3)))
  func engineKilledUnderLoadIsFoundAgain() throws {
    let folder = try TemporaryFolder()
    var engine = try RunningEngine(in: folder)
    let process = Process()
    process.executableURL = URL(filePath: PythonClientTests.python)
    process.arguments = ["Tests/Peers/python/faults.py", "load", engine.socket, Checkout.photo]
    process.currentDirectoryURL = Checkout.root
    process.environment = ProcessInfo.processInfo.environment.merging(
      try PythonClientTests.messages(in: folder)
    ) { $1 }
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    func next() throws -> String {
      var line = Data()
      while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
        if byte.isEmpty { break }
        line += byte
      }
      return String(decoding: line, as: UTF8.self)
    }
    #expect(try next() == "begun")
    for _ in 0..<3 {
      #expect(engine.end(with: SIGKILL) == -SIGKILL)
      engine = try RunningEngine(in: folder)
      try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
      #expect(try next() == "served")
    }
    try input.fileHandleForWriting.close()
    #expect(try next().hasPrefix("ok: "))
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test(.timeLimit(.minutes(2)))
  func callThatIsCancelledWhileItRunsGivesItsWorkerBack() throws {
    let engine = try RunningEngine(arguments: ["--workers", "2"])
    let command = try peer("withdrawn", engine, photo: true)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
  }

  @Test(.timeLimit(.minutes(2)))
  func usersHaveTheirTurnsOneByOne() throws {
    let engine = try RunningEngine(arguments: ["--workers", "1", "--socket-mode", "0666"])
    let command = try peer("users", engine, photo: true)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    for line in command.lines where line.hasPrefix("skipped: ") { print("users: \(line)") }
  }

  @Test(.timeLimit(.minutes(2)))
  func userWithMuchWaitingLeavesRoomForOthers() throws {
    let engine = try RunningEngine(
      arguments: ["--workers", "1", "--socket-mode", "0666", "--queued-calls", "20"])
    let command = try peer("hog", engine, photo: true)
    #expect(command.status == 0, "\(command.output)\(command.errors)")
    for line in command.lines where line.hasPrefix("skipped: ") { print("hog: \(line)") }
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
    // 2000 were refused in a few seconds.
    #expect(try engine.log.components(separatedBy: "call refused").count < 500)
  }
}
