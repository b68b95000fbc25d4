import Dispatch
package import FaceCore
import FoundationEssentials
import Glibc
import ResultJSON
import Synchronization

/// Writes one line of JSON for each call to standard output, without pictures or names of persons.
///
/// If the reader is too slow, lines are lost and counted in the next one; calls never wait for it.
package final class AccessLog: Sendable {
  package struct Entry {
    /// "grpc" or "http".
    package var transport: String
    /// The call, as in "faceengine.v1.Detector/Detect" or "POST /v1/detect".
    package var call: String
    package var code: StatusCode
    package var status: Int?
    package var microseconds: Int64
    package var receivedBytes: Int
    package var sentBytes: Int
    package var peer: String
    package var caller: Caller
    package var traceparent: String?
  }

  private static let maxWaiting = 4096
  /// How long the end of the process waits for the reader.
  private static let patience = DispatchTimeInterval.seconds(1)
  /// The most bytes of a call's name, which the caller chooses.
  private static let maxCallLength = 128

  private struct State {
    var waiting: [(entry: Entry, time: Date)] = []
    /// The lines that are being written.
    var writing = 0
    var lost = 0
  }

  private let queue = DispatchQueue(label: "access-log")
  private let state = Mutex(State())
  private let isOn: Bool

  package init(isOn: Bool) {
    self.isOn = isOn
  }

  package func write(_ entry: Entry) {
    guard isOn else { return }
    let isFirst = state.withLock { state in
      guard state.waiting.count < Self.maxWaiting else {
        state.lost += 1
        return false
      }
      var entry = entry
      if entry.call.utf8.count > Self.maxCallLength {
        entry.call = String(decoding: entry.call.utf8.prefix(Self.maxCallLength), as: UTF8.self)
      }
      state.waiting.append((entry, .now))
      return state.waiting.count == 1
    }
    // Lines are written together, so that few calls wake a thread for theirs.
    if isFirst { queue.asyncAfter(deadline: .now() + .milliseconds(200)) { self.writeWaiting() } }
  }

  /// Returns when all lines logged so far have been written; soon if nobody reads them.
  package func flush() {
    let done = DispatchSemaphore(value: 0)
    queue.async {
      self.writeWaiting()
      done.signal()
    }
    guard done.wait(timeout: .now() + Self.patience) == .timedOut else { return }
    let lost = state.withLock { $0.writing + $0.waiting.count + $0.lost }
    tellOperator("nobody reads the log; lost its last \(lost) lines")
  }

  private func writeWaiting() {
    let (waiting, lost) = state.withLock { state in
      defer { state = State(writing: state.waiting.count) }
      return (state.waiting, state.lost)
    }
    defer { state.withLock { $0.writing = 0 } }
    var lines = ""
    var clock = LogClock()
    for (index, each) in waiting.enumerated() {
      lines += text(each.entry, clock.text(each.time), lost: index == 0 ? lost : 0) + "\n"
    }
    var rest = Array(lines.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Written in one piece, not as a tree of `JSON`: there is a line for each call, and its names need no
  /// escapes.
  private func text(_ entry: Entry, _ time: String, lost: Int) -> String {
    var text = "{\"time\": \"\(time)\", \"transport\": \"\(entry.transport)\", "
    text += "\"call\": \(JSON.string(entry.call)), \"code\": \"\(entry.code.name)\", "
    if let status = entry.status { text += "\"status\": \(status), " }
    text += "\"duration_us\": \(entry.microseconds), \"received_bytes\": \(entry.receivedBytes), "
    text += "\"sent_bytes\": \(entry.sentBytes), \"peer\": \(JSON.string(entry.peer))"
    if let name = entry.caller.name { text += ", \"caller\": \(JSON.string(name))" }
    if entry.caller.hasSessionToken { text += ", \"session\": true" }
    if let trace = entry.traceparent { text += ", \"traceparent\": \(JSON.string(trace))" }
    if lost > 0 { text += ", \"lines_lost\": \(lost)" }
    return text + "}"
  }
}

/// Formats times; within a second, the text of the first is reused.
private struct LogClock {
  private var second = Int64.min
  private var begin = ""

  /// The time, as in "2026-11-22T17:47:27.331Z".
  mutating func text(_ time: Date) -> String {
    let milliseconds = Int64((time.timeIntervalSince1970 * 1000).rounded(.down))
    let (now, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    if now != second {
      second = now
      begin = String(Date(timeIntervalSince1970: Double(now)).ISO8601Format().dropLast())
    }
    let digits = String(1000 + rest).dropFirst()
    return "\(begin).\(digits)Z"
  }
}
