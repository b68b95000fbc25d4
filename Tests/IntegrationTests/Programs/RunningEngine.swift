import Foundation
import TestSupport
import Testing

/// `face-engine serve` as a process of its own, killed with its owner.
final class RunningEngine {
  struct DidNotStart: Error, CustomStringConvertible {
    let description: String
  }

  private let process: ChildProcess
  let socket: String
  private let folder: TemporaryFolder
  /// Beside `folder`: an engine removes its socket only if nothing else is in its folder.
  private let logFolder: TemporaryFolder
  private let logPath: String

  /// Returns when the engine serves.
  /// - Parameters:
  ///   - logLevel: `nil` for the engine's default, which logs refused calls.
  ///   - errors: the file for its log instead of `log`.
  ///   - launcher: a program with its arguments that becomes the engine whose command line follows.
  ///   - user: the user that the launcher makes it run as.
  init(
    in folder: TemporaryFolder? = nil, model: String = Checkout.model, arguments: [String] = [],
    logLevel: String? = nil, environment: [String: String] = [:], launcher: [String] = [],
    user: uid_t = geteuid(), errors: FileHandle? = nil
  ) throws {
    self.folder = try folder ?? TemporaryFolder()
    socket = self.folder.path("face-engine.sock")
    logFolder = try TemporaryFolder()
    let logPath = try logFolder.write("log", [])
    self.logPath = logPath
    let commandLine =
      launcher + [Checkout.engine, "serve", "--socket", socket, "--model", model]
      + (logLevel.map { ["--log-level", $0] } ?? []) + arguments
    // The limit is longer than that of any of its clients.
    process = try ChildProcess(
      commandLine, environment: environment, input: nil, output: nil,
      errors: try errors ?? FileHandle(forWritingTo: URL(filePath: logPath)),
      timeLimit: ChildProcess.timeLimit * 3, said: { Command.text(logPath) })
    let deadline = ContinuousClock.now + ChildProcess.timeLimit
    while process.isRunning && ContinuousClock.now < deadline {
      let detect = ["detect", "--socket", socket, "--engine-user", "\(user)", Checkout.photo]
      if try Command.faceEngine(detect).status == 0 { return }
      usleep(50_000)
    }
    let what = process.isRunning ? "does not serve" : "ended with \(try process.wait())"
    throw DidNotStart(description: "the engine \(what): \(Command.text(logPath))")
  }

  var id: pid_t { process.id }
  var isRunning: Bool { process.isRunning }

  func signal(_ signal: Int32) { process.signal(signal) }

  /// Runs face-engine with the engine's socket.
  func run(_ arguments: [String]) throws -> Command {
    try Command.faceEngine(arguments + ["--socket", socket])
  }

  /// What `face-engine status --json` says.
  func status() throws -> [String: Any] {
    let said = try run(["status", "--json"]).output
    return try #require(try JSONSerialization.jsonObject(with: Data(said.utf8)) as? [String: Any])
  }

  /// Sends the signal and waits: the exit status, or minus the signal that ended it. Records an issue if its
  /// time was up.
  func end(with signal: Int32) -> Int32 {
    self.signal(signal)
    return wait()
  }

  /// Waits in the same way for an engine that was told to end.
  func wait() -> Int32 {
    do {
      return try process.wait()
    } catch {
      Issue.record(error)
      return -SIGKILL
    }
  }

  // MARK: Log

  /// The log so far.
  var log: String {
    get throws { try String(contentsOfFile: logPath, encoding: .utf8) }
  }

  /// Waits until the log contains `text` that many times; false if the engine ended before.
  func logs(_ text: String, times: Int = 1) throws -> Bool {
    while process.isRunning {
      if try log.components(separatedBy: text).count > times { return true }
      usleep(20_000)
    }
    try process.checkTimeLimit()
    return try log.components(separatedBy: text).count > times
  }
}
