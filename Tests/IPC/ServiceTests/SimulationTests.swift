import Simulation
import Testing

/// What the scheduler promises, for made-up users, workers and times. A finding names its seed: `make simulate`
/// replays it.
@Suite struct SimulationTests {
  @Test(arguments: [1, 2, 3, UInt64.random(in: 0..<1 << 48)] as [UInt64])
  func scheduling(seed: UInt64) throws {
    try SchedulingSimulation(seed: seed).run(events: 2000)
  }

  /// Nothing but the seed decides.
  @Test func aSeedGivesTheSameEvents() throws {
    let counts = try (0..<2).map { _ in
      let simulation = SchedulingSimulation(seed: 5)
      try simulation.run(events: 2000)
      return simulation.eventCount
    }
    #expect(counts[0] == counts[1])
  }
}
