package import FaceCore
import Synchronization

/// Counts the gateway's own work, for /metrics.
package final class GatewayCounters: Sendable {
  package struct Key: Hashable {
    package var transport: String
    package var code: StatusCode
  }

  /// A histogram of call durations.
  package struct Durations {
    /// The upper bounds in seconds; one more bucket has none.
    package static let bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]

    package var buckets = [Int](repeating: 0, count: bounds.count + 1)
    package var sum = 0.0

    package mutating func add(_ seconds: Double) {
      buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
      sum += seconds
    }
  }

  package struct Counts {
    package var calls: [Key: Int] = [:]
    package var durations: [String: Durations] = [:]
    /// Of the sessions that count people.
    package var visits = VisitStatistics()
  }

  private let counts = Mutex(Counts())

  package init() {}

  package func count(_ transport: String, _ code: StatusCode, nanoseconds: Int64) {
    counts.withLock { counts in
      counts.calls[Key(transport: transport, code: code), default: 0] += 1
      counts.durations[transport, default: Durations()].add(Double(nanoseconds) / 1e9)
    }
  }

  package func count(_ visits: [VisitEvent]) {
    guard !visits.isEmpty else { return }
    counts.withLock { $0.visits.count(visits) }
  }

  package var all: Counts { counts.withLock { $0 } }
}
