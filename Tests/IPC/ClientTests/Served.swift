import Client
import FaceCore
import Foundation
import Posix
import Service
import ServiceTestSupport
import Synchronization
import TestSupport

/// A server of this process, a client of it, and the events of its streams.
struct Served {
  let engine: TestServer
  let client: Client
  let log = EventLog()

  init(
    timeout: TimeSpan? = nil, _ adjust: (inout ServerConfiguration) -> Void = { _ in }
  ) throws(Status) {
    engine = try TestServer(adjust)
    client = try Client(socket: engine.socket, options: ClientOptions(timeout: timeout))
  }

  var detector: FakeDetector { engine.detector }

  /// Another client of the server.
  func other() throws(Status) -> Client { try Client(socket: engine.socket) }

  func open(_ options: StreamOptions) throws(Status) -> any FrameStream {
    try client.openStream(options, deliver: log.deliver)
  }

  /// Another server in the place of the first, which has ended.
  func next() throws(Status) -> TestServer {
    let socket = engine.socket
    return try TestServer { $0.socket = socket }
  }
}

extension ClientOptions {
  /// - Parameter timeout: `nil` for the usual one.
  init(timeout: TimeSpan?) {
    self.init()
    if let timeout { self.timeout = timeout }
  }
}

extension StreamOptions {
  init(
    _ mode: StreamMode, tracking: Bool = false, timeout: TimeSpan = .zero, canceller: Canceller? = nil,
    check: CheckOptions? = nil
  ) {
    self.init()
    self.mode = mode
    self.tracking = tracking ? TrackingOptions() : nil
    (frameTimeout, self.canceller, self.check) = (timeout, canceller, check)
  }
}

extension Client {
  /// Finds the faces of an encoded image with these contents.
  func detect(
    _ bytes: [UInt8], _ options: DetectionOptions = DetectionOptions(), timeout: TimeSpan = .zero,
    canceller: Canceller? = nil
  ) throws -> DetectionResult {
    try bytes.withUnsafeBytes { bytes in
      try detect(ImageInput(.encoded(bytes), timeout: timeout, canceller: canceller), options: options)
    }
  }

  /// The width that is found in an image of so many bytes: their number.
  func width(_ size: Int) throws -> Int { try detect([UInt8](repeating: 3, count: size)).imageSize.width }

  /// The code with which a call ends for an image of so many bytes.
  func code(_ size: Int = 10, timeout: TimeSpan = .zero, canceller: Canceller? = nil) -> StatusCode {
    do {
      let result = try detect([UInt8](repeating: 4, count: size), timeout: timeout, canceller: canceller)
      return result.imageSize.width == size ? .ok : .dataLoss
    } catch {
      return (error as? Status)?.code ?? .unknown
    }
  }
}

extension FrameStream {
  /// Submits an image of so many bytes, all `mark`.
  @discardableResult
  func submit(_ mark: UInt8, _ size: Int = 100, timestamp: UInt64 = 0) throws(Status) -> UInt64 {
    try submit(heldImage(mark, size), timestamp: timestamp)
  }

  /// The error of submitting one; `nil` if it was taken.
  func refusal(_ mark: UInt8, _ size: Int = 100) -> Status? {
    failure { () throws(Status) in try submit(mark, size) }
  }
}

final class Counter: Sendable {
  private let storage = Atomic(0)
  var value: Int { storage.load(ordering: .sequentiallyConsistent) }
  func add() { storage.add(1, ordering: .sequentiallyConsistent) }
}

/// Repeats `body` until it returns a value, for up to a minute.
func eventually<Value>(_ body: () throws -> Value?) rethrows -> Value? {
  let end = MonotonicTime.now() + .seconds(60)
  repeat {
    if let value = try body() { return value }
    CurrentProcess.sleep(for: .milliseconds(5))
  } while MonotonicTime.now() < end
  return nil
}

/// Whether `condition` becomes true within a minute.
func comesTrue(_ condition: () throws -> Bool) rethrows -> Bool {
  try eventually { try condition() ? true : nil } == true
}

/// Whether so many threads of that name come to wait for something. proc_pid_stat(5)
func comeToWait(_ name: String, _ count: Int = 1) -> Bool {
  comesTrue {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count { task in
      let stat = try? String(contentsOfFile: "/proc/self/task/\(task)/stat", encoding: .utf8)
      return stat?.contains("(\(name)) S ") == true
    } == count
  }
}

private struct Job: @unchecked Sendable {
  let work: (Int) -> Void
}

/// Runs `work` on that many threads at once, each with its index, and waits for all.
func concurrently(_ count: Int, _ work: (Int) -> Void) throws {
  try withoutActuallyEscaping(work) { work in
    let job = Job(work: work)
    let threads = try (0..<count).map { index in
      try Posix.Thread(name: "caller-\(index)") { job.work(index) }
    }
    for thread in threads { thread.join() }
  }
}
