import FaceEngine
import Foundation
import Testing

enum Support {
  static let environment = ProcessInfo.processInfo.environment
  /// Set by test.sh.
  static let command = environment["FACE_TEST_COMMAND"] ?? "face-engine"
  static let photo = environment["FACE_TEST_PHOTO"] ?? "Examples/photos/grace_hopper.jpg"

  /// A folder for a test, which ends with the process.
  static func folder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
  }

  /// The photo's pixels, in RGB: 512 × 600.
  static let layout = PixelLayout(.rgb, width: 512, height: 600)

  static func stream(_ images: [Image]) -> AsyncStream<Image> {
    AsyncStream { continuation in
      images.forEach { continuation.yield($0) }
      continuation.finish()
    }
  }
}

/// An engine process.
final class Server: @unchecked Sendable {
  let socket: String
  private var process = Process()

  init() throws {
    socket = try Support.folder() + "/socket"
    try start()
  }

  deinit { signal(SIGKILL) }

  /// Starts the process, and returns when it can be called.
  func start() throws {
    process = Process()
    process.executableURL = URL(fileURLWithPath: Support.command)
    process.arguments = ["serve", "--socket", socket]
    process.standardError = FileHandle.nullDevice
    try process.run()
    let status = Process()
    status.executableURL = process.executableURL
    status.arguments = ["status", "--socket", socket, "--wait-ready", "--timeout", "60"]
    status.standardOutput = FileHandle.nullDevice
    try status.run()
    status.waitUntilExit()
    try #require(status.terminationStatus == 0)
  }

  func signal(_ signal: Int32) {
    // Zero would be this process and its whole group.
    if process.processIdentifier > 0 { kill(process.processIdentifier, signal) }
  }

  /// Stops the process, and returns when each of its threads has stopped.
  func stop() throws {
    signal(SIGSTOP)
    let threads = "/proc/\(process.processIdentifier)/task"
    func isStopped(_ thread: String) throws -> Bool {
      try String(contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8).contains(") T ")
    }
    while try !FileManager.default.contentsOfDirectory(atPath: threads).allSatisfy(isStopped) {
      sched_yield()
    }
  }

  func end() {
    signal(SIGKILL)
    process.waitUntilExit()
  }
}

/// Something that happens once, and what waits for it.
actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    waiting.forEach { $0.resume() }
    waiting = []
  }

  func wait() async {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }
}
