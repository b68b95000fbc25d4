import FaceCore

extension JSON {
  /// In nanoseconds.
  init(_ summary: DurationSummary) {
    self = .object([
      "count": .integer(summary.count), "p50": .integer(Int(summary.p50)), "p90": .integer(Int(summary.p90)),
      "p99": .integer(Int(summary.p99)), "max": .integer(Int(summary.max)),
    ])
  }
}
