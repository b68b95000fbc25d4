import Foundation

/// `face-engine serve` as a process of its own, killed with its owner.
final class RunningEngine {
  let process = Process()
  let socket: String
  private let folder: TemporaryFolder

  struct DidNotStart: Error {}

  /// Returns when the engine listens.
  init(in folder: TemporaryFolder? = nil, arguments: [String] = []) throws {
    self.folder = try folder ?? TemporaryFolder()
    socket = self.folder.path("face-engine.sock")
    process.executableURL = URL(filePath: Checkout.engine)
    process.arguments = ["serve", "--socket", socket, "--model", Checkout.model] + arguments
    process.standardInput = FileHandle.nullDevice
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

  var openDescriptors: Int {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }
  }
}
