public import FaceCore
public import Logging
public import Posix

/// Writes the lines of a log on a thread of its own, so that who logs never waits for who reads. Lines that find no room
/// are left out, and how many is told when there is room again.
public final class LogWriter: Sendable {
  private struct State {
    /// Lines that wait.
    var text = ""
    /// Lines that were left out since.
    var leftOut = 0
    /// Whether the thread has lines in hand.
    var isWriting = false
    var isEnding = false

    var isEmpty: Bool { text.isEmpty && leftOut == 0 }
  }

  /// Stands in each line.
  public let label: String
  private let limit: Int
  private let write: @Sendable (String) -> Void
  private let state = Monitor(State())
  private let changed = Condition()

  /// - Parameters:
  ///   - limit: bytes of lines that may wait.
  ///   - write: takes whole lines and may wait; called on the writer's thread.
  public init(
    label: String, limit: Int = 1 << 20,
    _ write: @escaping @Sendable (String) -> Void = { StandardError.write($0) }
  ) throws(Status) {
    self.label = label
    self.limit = limit
    self.write = write
    _ = try Thread(name: "face-log") { self.run() }
  }

  /// Never waits. From any thread.
  func add(_ line: String) {
    state.withLock { state in
      // After one that is left out all are, so that the count stands where they are missing.
      guard state.leftOut == 0, state.text.utf8.count + line.utf8.count <= limit else {
        state.leftOut += 1
        return
      }
      state.text += line
    }
    changed.wakeAll()
  }

  /// Returns when all lines are written, or after so many nanoseconds. None may be added from now on.
  public func finish(within nanoseconds: Int64) {
    let deadline = MonotonicTime.now().advanced(byNanoseconds: nanoseconds)
    state.withLock { state in state.isEnding = true }
    changed.wakeAll()
    _ = state.wait(for: changed, until: deadline) { state in
      state.isEmpty && !state.isWriting ? true : nil
    }
  }

  private func run() {
    while let lines = next() {
      write(lines)
      state.withLock { state in state.isWriting = false }
      changed.wakeAll()
    }
  }

  /// Waits for lines; `nil` when there will be no more.
  private func next() -> String? {
    let next = state.wait(for: changed) { state -> (text: String, leftOut: Int)? in
      if state.isEmpty { return state.isEnding ? ("", 0) : nil }
      defer { (state.text, state.leftOut, state.isWriting) = ("", 0, true) }
      return (state.text, state.leftOut)
    }
    guard let next, next != ("", 0) else { return nil }
    if next.leftOut == 0 { return next.text }
    return next.text
      + LogLine.text(
        .warning, label, ["count": "\(next.leftOut)"], source: "Service",
        "lines left out: the log is not read fast enough")
  }
}

/// Has a logger's lines written by a `LogWriter`, in the format of swift-log's own handlers.
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
    let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
    writer.add(
      LogLine.text(event.level, writer.label, metadata, source: event.source, "\(event.message)"))
  }
}

/// A line of the log, as swift-log's own handlers write it.
package enum LogLine {
  /// Most bytes of a value; what peers say can be megabytes long.
  private static let longestValue = 500

  static func text(
    _ level: Logger.Level, _ label: String, _ metadata: Logger.Metadata, source: String, _ message: String
  ) -> String {
    let details = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(plain("\($0.value)"))" }.joined()
    return "\(WallClock.timestamp) \(level) \(label):\(details) [\(source)] \(plain(message))\n"
  }

  /// `text` cut short, and without what would end the line or have a terminal do something: such characters are written
  /// as `\u{1B}`, and a backslash twice.
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
