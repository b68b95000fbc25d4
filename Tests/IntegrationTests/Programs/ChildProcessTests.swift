import Foundation
import TestSupport
import Testing

/// The guarantees for every program that a test starts.
@Suite struct ChildProcessTests {
  /// Whether a process runs; a zombie does not. proc_pid_stat(5)
  private func runs(_ process: Substring) -> Bool {
    guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return false
    }
    return stat.split(separator: ")").last?.hasPrefix(" Z") == false
  }

  /// Whether a killed process is gone. The signal is sent when kill(2) returns; on a busy machine the process
  /// dies a little later. A process that was not killed sleeps for much longer than this waits.
  private func ends(_ process: Substring) -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while runs(process) {
      if ContinuousClock.now > end { return false }
      usleep(2000)
    }
    return true
  }

  /// One process stays in the process group, and one has its own group, as timeout(1) makes.
  private static let twoThatStay = "sleep 1000 & echo $!; timeout 1000 sleep 1000 & echo $!"

  @Test func processesLeftBehindAreKilled() throws {
    let command = try Command.run("bash", ["-c", Self.twoThatStay])
    #expect(command.status == 0)
    let left = command.output.split(separator: "\n")
    #expect(left.count == 2)
    for process in left { #expect(ends(process)) }
  }

  @Test func processGroupIsKilledWhenItsTimeIsUp() throws {
    let error = #expect(throws: ChildProcess.ExceededTimeLimit.self) {
      try Command.run(
        "bash", ["-c", "\(Self.twoThatStay); echo what it said >&2; wait"], timeLimit: .seconds(1))
    }
    let text = try #require(error?.description)
    #expect(
      text.contains("sleep 1000") && text.contains("1.0 seconds") && text.contains("what it said"), "\(text)")
    let said = text.split(separator: "it said: ")[1].split(separator: "\n")
    for process in said.filter({ Int($0) != nil }) { #expect(ends(process)) }
  }

  @Test func processIsKilledWithItsOwner() throws {
    var program: InteractiveProgram? = try InteractiveProgram([
      "bash", "-c", "echo $$; \(Self.twoThatStay); wait",
    ])
    let processes = try (0..<3).map { _ in try #require(try program?.line()) }
    for process in processes { #expect(runs(process[...])) }
    program = nil
    for process in processes { #expect(ends(process[...])) }
  }

  @Test func processInheritsOnlyItsStreams() throws {
    let (here, there) = (Pipe(), Pipe())
    defer { withExtendedLifetime((here, there)) {} }
    for descriptor in [here.fileHandleForReading, there.fileHandleForWriting].map(\.fileDescriptor) {
      _ = fcntl(descriptor, F_SETFD, 0)
    }
    let command = try Command.run("bash", ["-c", "echo /proc/self/fd/*; ps -o sid= $$; echo $$"])
    // The last descriptor is that of the folder that is being listed.
    #expect(command.lines.first == "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3")
    #expect(
      command.lines.count == 3 && command.lines[1].trimmingCharacters(in: .whitespaces) == command.lines[2])
  }

  /// Signals that the tests ignore or block have their default handling.
  @Test func processStartsWithDefaultSignals() throws {
    let command = try Command.run("grep", ["-E", "^Sig(Blk|Ign)", "/proc/self/status"])
    #expect(command.lines.count == 2)
    // These are the first 31 signals; the C library uses two of its own beyond them.
    for line in command.lines {
      let mask = try #require(line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) })
      #expect(mask & 0x7fff_ffff == 0, "\(line)")
    }
  }

  @Test func exitCodeOrSignalBecomesTheStatus() throws {
    #expect(try Command.run("bash", ["-c", "exit 7"]).status == 7)
    #expect(try Command.run("bash", ["-c", "kill -USR1 $$"]).status == -SIGUSR1)
    #expect(try Command.run("no-such-program", []).status == 127)
    let cat = try Command.run("cat", [], input: Data("in".utf8))
    #expect(cat.status == 0 && cat.output == "in")
  }

  @Test func writingToAProgramThatHasEndedIsAnError() throws {
    let program = try InteractiveProgram(["true"])
    #expect(program.wait() == 0)
    #expect(throws: (any Error).self) { try program.write(Data("x".utf8)) }
    #expect(try program.line() == nil)
  }
}
