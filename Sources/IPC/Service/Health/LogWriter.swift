public import FaceCore
public import Logging
public import Posix

/// Writes the lines of a log on its own thread, so that no logging thread waits for the reader.
///
/// Lines are left out if there is no room for them, and, except for errors, beyond a number per second. A
/// line states how many are missing.
public final class LogWriter: Sendable {
  private struct State {
    /// The waiting lines.
    var text = ""
    /// The number of lines left out since the last one that was queued.
    var leftOut = 0
    /// The end of the second whose lines are counted.
    var secondEnd = MonotonicTime(nanoseconds: 0)
    var linesInSecond = 0
    /// Whether the thread is writing lines.
    var isWriting = false
    var isEnding = false

    var isEmpty: Bool { text.isEmpty && leftOut == 0 }

    /// The time to write the number of left-out lines.
    var countDue: MonotonicTime { leftOut == 0 ? .never : secondEnd }

    /// Takes the lines to be written now.
    mutating func dequeue(_ label: String) -> String {
      var lines = text
      text = ""
      if leftOut > 0, isEnding || countDue.isPast {
        lines += LogLine.text(
          .warning, label, ["count": "\(leftOut)"], source: "Service",
          "lines left out: there were too many, or the log is not read fast enough")
        leftOut = 0
      }
      isWriting = !lines.isEmpty
      return lines
    }
  }

  private static let second: TimeSpan = .seconds(1)

  public let label: String
  private let limit: Int
  private let linesPerSecond: Int
  private let write: @Sendable (String) -> Void
  private let state = Monitor(State())
  private let changed = Condition()

  /// - Parameters:
  ///   - limit: the most bytes of lines that may wait.
  ///   - linesPerSecond: the most lines a second, of all levels below error.
  ///   - write: receives whole lines and may block; called on the writer's thread.
  public init(
    label: String, limit: Int = 1 << 20, linesPerSecond: Int = 50,
    _ write: @escaping @Sendable (String) -> Void = { StandardError.write($0) }
  ) throws(Status) {
    self.label = label
    self.limit = limit
    self.linesPerSecond = linesPerSecond
    self.write = write
    _ = try Thread(name: "face-log") { self.run() }
  }

  /// Queues a line without blocking. Safe to call from any thread.
  /// - Parameter line: called only if the line is not left out by the limit per second.
  func add(_ level: Logger.Level, _ line: () -> String) {
    state.withLock { state in
      let now = MonotonicTime.now()
      if now >= state.secondEnd {
        state.secondEnd = now + Self.second
        state.linesInSecond = 0
      }
      // Once a line is left out, all that follow are, so that the count stands where lines are missing.
      let isWanted = state.leftOut == 0 && state.linesInSecond < linesPerSecond
      if isWanted || level >= .error {
        let line = line()
        if state.text.utf8.count + line.utf8.count <= limit {
          state.linesInSecond += 1
          state.text += line
          return
        }
      }
      state.leftOut += 1
    }
    changed.wakeAll()
  }

  /// Returns when all lines are written, or after the given time. No line may be added from now on.
  public func finish(within span: TimeSpan) {
    let deadline = MonotonicTime.now() + span
    state.withLock { state in state.isEnding = true }
    changed.wakeAll()
    _ = state.wait(for: changed, until: deadline) { state in
      state.isEmpty && !state.isWriting ? true : nil
    }
  }

  private func run() {
    var isEnding = false
    while !isEnding {
      let due = state.withLock { $0.countDue }
      _ = state.wait(for: changed, until: due) { state in
        state.text.isEmpty && !state.isEnding && state.countDue == due ? nil : true
      }
      let lines: String
      (lines, isEnding) = state.withLock { state in (state.dequeue(label), state.isEnding) }
      if !lines.isEmpty { write(lines) }
      state.withLock { state in state.isWriting = false }
      changed.wakeAll()
    }
  }
}

/// Sends a logger's lines to a `LogWriter`, in the format of swift-log's own handlers.
public struct LineLogHandler: LogHandler {
  private let writer: LogWriter
  public var metadata: Logger.Metadata = [:]
  public var logLevel = Logger.Level.info

  public init(_ writer: LogWriter) {
    self.writer = writer
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    writer.add(event.level) {
      let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
      return LogLine.text(event.level, writer.label, metadata, source: event.source, "\(event.message)")
    }
  }
}

/// Formats a line of the log as swift-log's own handlers do.
package enum LogLine {
  /// The most bytes of a value; values from peers can be megabytes long.
  private static let longestValue = 500

  static func text(
    _ level: Logger.Level, _ label: String, _ metadata: Logger.Metadata, source: String, _ message: String
  ) -> String {
    let details = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(quoted("\($0.value)"))" }.joined()
    return "\(WallClock.timestamp) \(level) \(label):\(details) [\(source)] \(plain(message))\n"
  }

  /// A value in logfmt: in quotes if it contains anything that could be taken for another field.
  package static func quoted(_ text: String) -> String {
    let plain = plain(text)
    guard plain.isEmpty || plain.unicodeScalars.contains(where: { $0 == " " || $0 == "=" || $0 == "\"" })
    else {
      return plain
    }
    return "\"" + plain.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
      + "\""
  }

  /// `text`, shortened, and without characters that would end the line or control a terminal: these are
  /// written as `\u{1B}`, and a backslash twice.
  package static func plain(_ text: String) -> String {
    var plain = ""
    var room = longestValue
    for scalar in text.unicodeScalars {
      room -= UTF8.width(scalar)
      guard room >= 0 else { return "\(plain)… (\(text.utf8.count) bytes)" }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        plain += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: plain += scalar == "\\" ? "\\\\" : "\(scalar)"
      }
    }
    return plain
  }
}
