import Foundation
import TestSupport
import Testing

/// A program that has ended.
struct Command {
  let status: Int32
  let output: String
  let errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Expects that it has ended with 0.
  @discardableResult
  func succeeded(sourceLocation: SourceLocation = #_sourceLocation) -> Command {
    #expect(status == 0, "\(output)\(errors)", sourceLocation: sourceLocation)
    return self
  }

  /// Throws, with the program's output, if it has not ended after `timeLimit`.
  @discardableResult
  static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    in folder: String = Checkout.root.path, input: Data? = nil,
    timeLimit: Duration = ChildProcess.timeLimit
  ) throws -> Command {
    // These are files rather than pipes: no reader is needed while the program runs.
    let scratch = try TemporaryFolder()
    let (outputPath, errorsPath) = (try scratch.write("output", []), try scratch.write("errors", []))
    var standardInput: FileHandle?
    if let input {
      standardInput = try FileHandle(forReadingFrom: URL(filePath: try scratch.write("input", input)))
    }
    let process = try ChildProcess(
      [program] + arguments, environment: environment, in: folder, input: standardInput,
      output: try FileHandle(forWritingTo: URL(filePath: outputPath)),
      errors: try FileHandle(forWritingTo: URL(filePath: errorsPath)), timeLimit: timeLimit,
      said: { text(outputPath) + text(errorsPath) })
    let status = try process.wait()
    let command = Command(status: status, output: text(outputPath), errors: text(errorsPath))
    if status >= 0 { JSONLines.keep(command.lines) }
    return command
  }

  /// What is in a file now; empty if there is none.
  static func text(_ path: String) -> String {
    String(decoding: (try? Data(contentsOf: URL(filePath: path))) ?? Data(), as: UTF8.self)
  }

  /// Runs face-engine with no standard socket but the given one.
  static func faceEngine(_ arguments: [String], runtimeFolder: TemporaryFolder? = nil) throws -> Command {
    let folder = try runtimeFolder ?? TemporaryFolder()
    return try run(Checkout.engine, arguments, environment: ["XDG_RUNTIME_DIR": folder.path])
  }
}
