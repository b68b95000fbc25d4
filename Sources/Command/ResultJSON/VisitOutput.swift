public import FaceCore

/// Visits as JSON and as metrics.
public enum VisitOutput {
  /// The members of an event's JSON object.
  public static func members(_ event: VisitEvent) -> [(String, JSON)] {
    [
      ("event", .string("\(event.kind.name)")), ("visit", .integer(Int(clamping: event.visit))),
      ("id", JSON(id: event.faceID)), ("firstSeen", .integer(Int(clamping: event.firstSeen))),
      ("lastSeen", .integer(Int(clamping: event.lastSeen))), ("stayed", .number(Float(event.stayed.seconds))),
      ("looked", .number(Float(event.looked.seconds))), ("present", .integer(event.present)),
    ]
  }
}

extension MetricsText {
  /// Adds the totals of visits.
  /// - Parameter prefix: of the names, as in "face_watch".
  public mutating func add(_ visits: VisitStatistics, prefix: String) {
    family("\(prefix)_visits", .counter, "People who came.")
    sample("\(prefix)_visits_total", visits.total)
    family("\(prefix)_visitors", .gauge, "People in view now.")
    sample("\(prefix)_visitors", visits.present)
    add("\(prefix)_visit_stay_seconds", "Time that people stayed who have left.", visits.stays)
    add("\(prefix)_visit_look_seconds", "Time that people looked who have left.", visits.looks)
  }

  private mutating func add(_ name: String, _ help: String, _ times: DurationBuckets) {
    family(name, .histogram, help, unit: "seconds")
    histogram(
      name, nil, bounds: times.bounds.map(\.seconds), counts: times.counts.map { Int($0) },
      sum: times.sum.seconds)
  }
}
