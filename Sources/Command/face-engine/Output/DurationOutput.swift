import FaceCore
import ResultJSON

extension JSON {
  init(_ span: TimeSpan) { self = .integer(Int(span.nanoseconds)) }

  init(_ summary: DurationSummary) {
    self = .object([
      "count": .integer(summary.count), "p50": JSON(summary.p50), "p90": JSON(summary.p90),
      "p99": JSON(summary.p99), "max": JSON(summary.max),
    ])
  }
}

/// Formats a duration for reading.
enum DurationText {
  /// The duration in a unit that leaves one to three digits before the decimal point.
  static func of(_ span: TimeSpan) -> String {
    switch span {
    case ..<(.microseconds(1)): "\(span.nanoseconds) ns"
    case ..<(.milliseconds(1)): "\(tenths(span, .microseconds(1))) µs"
    case ..<(.seconds(1)): "\(tenths(span, .milliseconds(1))) ms"
    case ..<(.seconds(120)): "\(tenths(span, .seconds(1))) s"
    case ..<(.seconds(7200)): "\(span / .seconds(60)) min"
    default: "\(span / .seconds(3600)) h"
    }
  }

  private static func tenths(_ span: TimeSpan, _ unit: TimeSpan) -> String {
    let tenths = span / (unit / 10)
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// Formats a number of bytes for reading.
enum ByteText {
  private static let units = ["KiB", "MiB", "GiB", "TiB"]

  /// The number in the largest unit that is not above it.
  static func of(_ bytes: Int) -> String {
    guard bytes >= 1024 else { return "\(bytes) B" }
    var (tenths, unit) = (Int((Double(bytes) / 102.4).rounded()), 0)
    while tenths >= 10_240, unit < units.count - 1 { (tenths, unit) = ((tenths + 512) / 1024, unit + 1) }
    return tenths % 10 == 0 ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
