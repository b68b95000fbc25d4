import Foundation
import TestSupport

/// A program that ran to its end.
struct Command {
  let status: Int32
  let output: String
  let errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  @discardableResult
  static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    in folder: String = Checkout.root.path,
    input: Data? = nil
  ) throws -> Command {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.currentDirectoryURL = URL(filePath: folder)
    // Files, not pipes: no reader is needed while the program runs.
    let scratch = try TemporaryFolder()
    let output = try handle(scratch.path("output"))
    let errors = try handle(scratch.path("errors"))
    process.standardOutput = output
    process.standardError = errors
    if let input {
      try input.write(to: URL(filePath: scratch.path("input")))
      process.standardInput = FileHandle(forReadingAtPath: scratch.path("input"))
    } else {
      process.standardInput = FileHandle.nullDevice
    }
    try process.run()
    process.waitUntilExit()
    return Command(
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      output: try String(contentsOfFile: scratch.path("output"), encoding: .utf8),
      errors: try String(contentsOfFile: scratch.path("errors"), encoding: .utf8))
  }

  private static func handle(_ path: String) throws -> FileHandle {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    return try FileHandle(forWritingTo: URL(filePath: path))
  }

  /// face-engine itself, with no standard socket but the given one.
  static func faceEngine(_ arguments: [String], runtimeFolder: TemporaryFolder? = nil) throws -> Command {
    let folder = try runtimeFolder ?? TemporaryFolder()
    return try run(Checkout.engine, arguments, environment: ["XDG_RUNTIME_DIR": folder.path])
  }
}
