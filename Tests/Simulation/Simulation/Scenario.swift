import FaceCore

/// A part of the service or of the client library with made-up surroundings.
package enum Scenario: String, CaseIterable, Sendable {
  case scheduling
  case connections
  case client

  /// The events of a seed.
  package var eventsPerSeed: Int { self == .scheduling ? 10_000 : 2000 }

  /// Runs a seed; a finding tells how to do so again.
  /// - Returns: the number of events, and what else may tell one run from another.
  package func run(_ seed: UInt64, atMost most: Int = .max) throws(SeededFinding) -> [Int] {
    let events = min(eventsPerSeed, most)
    do throws(Finding) {
      switch self {
      case .scheduling:
        var simulation = SchedulingSimulation(seed: seed)
        try simulation.run(events: events)
        return [simulation.eventCount, Int(simulation.now.nanoseconds)]
      case .connections:
        let simulation = try ConnectionSimulation(seed: seed)
        try simulation.run(events: events)
        return [simulation.eventCount, simulation.answerCount, Int(simulation.time.nanoseconds)]
      case .client:
        let simulation = ClientSimulation(seed: seed)
        try simulation.run(events: events)
        return [simulation.eventCount, simulation.answerCount, Int(simulation.time.nanoseconds)]
      }
    } catch {
      throw SeededFinding(text: "make simulate SEED=\(seed) EVENTS=\(events) SCENARIO=\(rawValue): \(error)")
    }
  }
}

package struct SeededFinding: Error, CustomStringConvertible {
  let text: String
  package var description: String { text }
}
