import Logging
import Posix

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
