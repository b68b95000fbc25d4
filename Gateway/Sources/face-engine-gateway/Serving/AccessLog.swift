import Dispatch
import FoundationEssentials
import Glibc
import Presentation
import Synchronization

/// Writes one line of JSON for each call to standard output: no picture, nobody's name.
///
/// A reader that is too slow loses lines, which the next line counts; calls never wait for it.
final class AccessLog: Sendable {
  struct Entry {
    /// "grpc" or "http".
    var transport: String
    /// As in "faceengine.v1.Detector/Detect", or "POST /v1/detect".
    var call: String
    /// As in "OK".
    var code: String
    /// Of HTTP.
    var status: Int?
    var microseconds: Int64
    var receivedBytes: Int
    var sentBytes: Int
    var peer: String
    var traceparent: String?
  }

  private static let maxWaiting = 4096

  private let queue = DispatchQueue(label: "access-log")
  private let waiting = Atomic(0)
  private let lost = Atomic(0)
  private let isOn: Bool

  init(isOn: Bool) {
    self.isOn = isOn
  }

  func write(_ entry: Entry) {
    guard isOn else { return }
    guard waiting.add(1, ordering: .relaxed).newValue <= Self.maxWaiting else {
      waiting.subtract(1, ordering: .relaxed)
      lost.add(1, ordering: .relaxed)
      return
    }
    queue.async { [self] in
      waiting.subtract(1, ordering: .relaxed)
      var line = Array(text(entry).utf8)
      line.append(0x0a)
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count <= 0 { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Returns when what was written before has gone out.
  func flush() { queue.sync {} }

  private func text(_ entry: Entry) -> String {
    var text = "{\"time\": \"\(Self.now())\", \"transport\": \"\(entry.transport)\", "
    text += "\"call\": \(JSON.string(entry.call)), \"code\": \"\(entry.code)\", "
    if let status = entry.status { text += "\"status\": \(status), " }
    text += "\"duration_us\": \(entry.microseconds), \"received_bytes\": \(entry.receivedBytes), "
    text += "\"sent_bytes\": \(entry.sentBytes), \"peer\": \(JSON.string(entry.peer))"
    if let trace = entry.traceparent { text += ", \"traceparent\": \(JSON.string(trace))" }
    let missing = lost.exchange(0, ordering: .relaxed)
    if missing > 0 { text += ", \"lines_lost\": \(missing)" }
    return text + "}"
  }

  /// As in "2026-11-22T17:00:00.123Z".
  private static func now() -> String {
    Date.now.ISO8601Format(.init(includingFractionalSeconds: true))
  }
}
