import Foundation
import TestSupport
import Testing

/// A program with its standard input and output as pipes, killed with its owner.
class InteractiveProgram {
  private let process: ChildProcess
  private let input: FileHandle
  private let output: FileHandle
  private let errorsPath: String
  private let folder: TemporaryFolder
  private var unread = Data()

  /// The parameters are those of `ChildProcess`.
  init(
    _ commandLine: [String], environment: [String: String] = [:],
    timeLimit: Duration = ChildProcess.timeLimit
  ) throws {
    folder = try TemporaryFolder()
    let errorsPath = try folder.write("errors", [])
    self.errorsPath = errorsPath
    let (toProgram, fromProgram) = (Pipe(), Pipe())
    process = try ChildProcess(
      commandLine, environment: ["XDG_RUNTIME_DIR": folder.path].merging(environment) { $1 },
      input: toProgram.fileHandleForReading, output: fromProgram.fileHandleForWriting,
      errors: try FileHandle(forWritingTo: URL(filePath: errorsPath)), timeLimit: timeLimit,
      said: { Command.text(errorsPath) })
    // The program has its own ends, so that each side notices when the other one's is closed.
    try toProgram.fileHandleForReading.close()
    try fromProgram.fileHandleForWriting.close()
    (input, output) = (toProgram.fileHandleForWriting, fromProgram.fileHandleForReading)
  }

  /// Throws if the program has closed its input or ended. SIGPIPE does not end the tests.
  func write(_ data: Data) throws {
    var (brokenPipe, before, noTime) = (sigset_t(), sigset_t(), timespec())
    sigemptyset(&brokenPipe)
    sigaddset(&brokenPipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
    defer {
      _ = sigtimedwait(&brokenPipe, nil, &noTime)
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    try input.write(contentsOf: data)
  }

  func closeInput() throws { try input.close() }

  /// Closes the reading end of the output.
  func closeOutput() throws { try output.close() }

  /// The next line of the output; `nil` at its end. Throws if the program's time is up.
  func line() throws -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[(end + 1)...]) }
        let line = String(decoding: unread[..<end], as: UTF8.self)
        JSONLines.keep([line])
        return line
      }
      let more = output.availableData
      if more.isEmpty {
        try process.checkTimeLimit()
        return nil
      }
      unread += more
    }
  }

  /// Waits until the output's pipe is full, so that the program waits for its reader.
  func waitUntilOutputIsFull() throws {
    let getPipeSize: Int32 = 1032  // F_GETPIPE_SZ of linux/fcntl.h
    let size = fcntl(output.fileDescriptor, getPipeSize, 0)
    var waiting: Int32 = 0
    while process.isRunning {
      // The last page of the pipe need not be full.
      if ioctl(output.fileDescriptor, UInt(FIONREAD), &waiting) == 0, waiting > size - 4096 { return }
      usleep(5_000)
    }
    try process.checkTimeLimit()
  }

  func signal(_ signal: Int32) { process.signal(signal) }

  /// Waits for the exit status, or minus the signal that ended it. Records an issue if its time was up.
  func wait() -> Int32 {
    do {
      return try process.wait()
    } catch {
      Issue.record(error)
      return -SIGKILL
    }
  }

  /// Sends the signal, and waits for the end of the output and for the exit status.
  func end(with signal: Int32) throws -> Int32 {
    self.signal(signal)
    while try line() != nil {}
    return wait()
  }

  /// The program's standard error so far.
  var errors: String { Command.text(errorsPath) }
}

/// The program `face-engine watch`.
final class RunningWatch: InteractiveProgram {
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    try super.init([Checkout.engine, "watch", "--min-hits", "1"] + arguments, environment: environment)
  }
}
