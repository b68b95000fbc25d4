import FaceCore
import Simulation
import Testing

/// What the engine promises its clients, for made-up clients, workers and times. A finding names its seed:
/// `make simulate` replays it.
@Suite struct ConnectionSimulationTests {
  private static let events = 2000

  /// Two runs of many seeds: from a fixed one on, and from a random one.
  @Test(arguments: [1, UInt64.random(in: 1_000_000..<1 << 48)] as [UInt64])
  func connections(first: UInt64) throws {
    print("connections are simulated from seed \(first) on")
    for seed in first..<first + 30 { try run(seed) }
  }

  /// Nothing but the seed decides.
  @Test func aSeedGivesTheSameEvents() throws {
    let ends = try (0..<2).map { _ in
      let simulation = try ConnectionSimulation(seed: 5)
      try simulation.run(events: Self.events)
      return [simulation.eventCount, simulation.answerCount, Int(simulation.time.nanoseconds)]
    }
    #expect(ends[0] == ends[1])
    #expect(ends[0][1] > 0)
  }

  private func run(_ seed: UInt64) throws {
    do {
      try ConnectionSimulation(seed: seed).run(events: Self.events)
    } catch {
      throw SeededFinding(seed: seed, finding: error)
    }
  }

  private struct SeededFinding: Error, CustomStringConvertible {
    let seed: UInt64
    let finding: any Error
    var description: String {
      "make simulate SEED=\(seed) EVENTS=\(ConnectionSimulationTests.events) SCENARIO=connections: \(finding)"
    }
  }
}
