/// Totals of visits, for metrics.
public struct VisitStatistics: Equatable, Sendable {
  /// Upper bounds of the histograms: from a glance to ten minutes.
  private static let bounds: [TimeSpan] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600].map { .seconds($0) }
  private static let empty =
    DurationBuckets(bounds: bounds, counts: [UInt64](repeating: 0, count: bounds.count + 1), sum: .zero)
    ?? DurationBuckets()

  /// The number of people who came.
  public private(set) var total = 0
  /// The number of people in view.
  public private(set) var present = 0
  /// How long the people stayed who have left.
  public private(set) var stays = empty
  /// For how long they looked.
  public private(set) var looks = empty

  public init() {}

  public mutating func count(_ events: [VisitEvent]) {
    for event in events {
      switch event.kind {
      case .came:
        total += 1
        present += 1
      case .left:
        present -= 1
        stays.record(event.stayed)
        looks.record(event.looked)
      }
    }
  }
}
