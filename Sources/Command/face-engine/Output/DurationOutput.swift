import FaceCore
import ResultJSON

extension JSON {
  /// A summary in nanoseconds.
  init(_ summary: DurationSummary) {
    self = .object([
      "count": .integer(summary.count), "p50": .integer(Int(summary.p50)), "p90": .integer(Int(summary.p90)),
      "p99": .integer(Int(summary.p99)), "max": .integer(Int(summary.max)),
    ])
  }
}

/// Formats a duration for reading.
enum DurationText {
  /// The duration in a unit that leaves one to three digits before the decimal point.
  static func of(_ nanoseconds: Int64) -> String {
    switch nanoseconds {
    case ..<1000: "\(nanoseconds) ns"
    case ..<1_000_000: "\(tenths(nanoseconds, 1000)) µs"
    case ..<1_000_000_000: "\(tenths(nanoseconds, 1_000_000)) ms"
    case ..<120_000_000_000: "\(tenths(nanoseconds, 1_000_000_000)) s"
    case ..<7_200_000_000_000: "\(nanoseconds / 60_000_000_000) min"
    default: "\(nanoseconds / 3_600_000_000_000) h"
    }
  }

  private static func tenths(_ value: Int64, _ unit: Int64) -> String {
    let tenths = value / (unit / 10)
    return "\(tenths / 10).\(tenths % 10)"
  }
}
