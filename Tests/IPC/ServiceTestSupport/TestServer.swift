import Client
public import FaceCore
public import Logging
import Posix
public import Service
import Synchronization
import TestSupport

/// A server on a thread of this process, with a fake detector, at a socket of its own.
public final class TestServer: Sendable {
  public let detector = FakeDetector()
  private let folder: TemporaryFolder
  public let log = LogRecord()
  public let server: Server
  public let socket: String
  private let thread: Posix.Thread
  private let outcome: Outcome

  private final class Outcome: Sendable {
    let failure = Mutex<Status?>(nil)
    let answeredAll = Mutex<Bool?>(nil)
  }

  /// What the server's `run` has returned; `nil` if it has not, or threw.
  public var answeredAll: Bool? { outcome.answeredAll.withLock { $0 } }

  public init(_ adjust: (inout ServerConfiguration) -> Void = { _ in }) throws(Status) {
    folder = try TemporaryFolder()
    var configuration = ServerConfiguration(socket: folder.path("engine.sock"), version: "1.2.3")
    adjust(&configuration)
    socket = configuration.socket
    let server = try Server(configuration, detector: detector, models: detector, logger: log.logger)
    let outcome = Outcome()
    self.server = server
    self.outcome = outcome
    thread = try Posix.Thread(name: "test-server") {
      do throws(Status) {
        let answeredAll = try server.run()
        outcome.answeredAll.withLock { $0 = answeredAll }
      } catch {
        outcome.failure.withLock { $0 = error }
      }
    }
  }

  /// Stops the server and waits; returns its failure, if any.
  @discardableResult
  public func stop() -> Status? {
    detector.release()
    server.stop()
    thread.join()
    return outcome.failure.withLock { $0 }
  }

  /// Waits until the server ends by itself; returns its failure, if any.
  public func wait() -> Status? {
    thread.join()
    return outcome.failure.withLock { $0 }
  }

  deinit { stop() }
}

/// The lines that were logged.
public final class LogRecord: Sendable {
  private let storage = Monitor<[String]>([])

  public init() {}

  /// Copied to new memory: the thread sanitizer does not see how Swift's runtime orders a copy's end and the
  /// next write.
  public var lines: [String] { storage.withLock { lines in lines.map { $0 } } }

  /// Writes here at every level.
  public var logger: Logger { Logger(label: "test") { _ in LogRecorder(record: self) } }

  func add(_ line: String) {
    storage.withLock { lines in lines.append(line) }
  }
}

struct LogRecorder: LogHandler {
  let record: LogRecord
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(record: LogRecord) {
    self.record = record
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    record.add("\(event.level) \(event.message) \(details.joined(separator: " "))")
  }
}
