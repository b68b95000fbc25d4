import Foundation
import TestSupport

/// `face-engine watch` with its standard streams as pipes, killed with its owner.
final class RunningWatch {
  let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errorsPath: String
  private let folder: TemporaryFolder
  private var unread = Data()

  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    folder = try TemporaryFolder()
    errorsPath = folder.path("errors")
    _ = FileManager.default.createFile(atPath: errorsPath, contents: nil)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [Checkout.engine, "watch"] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["XDG_RUNTIME_DIR": folder.path]
    ) { $1 }.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: URL(filePath: errorsPath))
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  func write(_ data: Data) throws { try input.fileHandleForWriting.write(contentsOf: data) }

  func closeInput() throws { try input.fileHandleForWriting.close() }

  /// From now on nobody reads the results.
  func closeOutput() throws { try output.fileHandleForReading.close() }

  /// The next line of results; `nil` at their end.
  func line() throws -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      unread += more
    }
  }

  func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Its exit status, or minus the signal that ended it.
  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// What it has said so far.
  var errors: String {
    (try? String(contentsOfFile: errorsPath, encoding: .utf8)) ?? ""
  }
}
