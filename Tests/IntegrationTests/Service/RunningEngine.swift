import Foundation
import TestSupport

/// `face-engine serve` as a process of its own, killed with its owner.
final class RunningEngine {
  let process = Process()
  let socket: String
  private let folder: TemporaryFolder
  private let logPath: String

  struct DidNotStart: Error {}

  /// Returns when the engine listens.
  /// - Parameters:
  ///   - logLevel: `nil` for the engine's own default, which has refused calls in the log.
  ///   - errors: where it logs instead of into `log`.
  ///   - launcher: a program, with its arguments, that becomes the engine whose command line follows.
  init(
    in folder: TemporaryFolder? = nil, model: String = Checkout.model, arguments: [String] = [],
    logLevel: String? = nil, environment: [String: String] = [:], launcher: [String] = [],
    errors: FileHandle? = nil
  ) throws {
    self.folder = try folder ?? TemporaryFolder()
    socket = self.folder.path("face-engine.sock")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      launcher + [Checkout.engine, "serve", "--socket", socket, "--model", model]
      + (logLevel.map { ["--log-level", $0] } ?? []) + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    logPath = self.folder.path("log-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: logPath, contents: nil)
    process.standardError = try errors ?? FileHandle(forWritingTo: URL(filePath: logPath))
    try process.run()
    for _ in 0..<600 where process.isRunning {
      if try Command.faceEngine(["detect", "--socket", socket, Checkout.photo]).status == 0 { return }
      usleep(50_000)
    }
    throw DidNotStart()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Its exit status, or minus the signal that ended it.
  func end(with signal: Int32) -> Int32 {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// What it has logged so far.
  var log: String {
    get throws { try String(contentsOfFile: logPath, encoding: .utf8) }
  }

  /// Waits until it has logged `text` so many times; false when it never does.
  func logs(_ text: String, times: Int = 1) throws -> Bool {
    for _ in 0..<600 where process.isRunning {
      if try log.components(separatedBy: text).count > times { return true }
      usleep(20_000)
    }
    return try log.components(separatedBy: text).count > times
  }

  func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

  var openDescriptors: Int {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }
  }
}
