import Simulation
import Testing

/// What the engine promises, for made-up users, clients, workers and times. A finding names its seed: `make simulate`
/// replays it.
@Suite struct SimulationTests {
  /// Many seeds from a fixed one on, and from a random one.
  @Test(arguments: Scenario.allCases, [1, UInt64.random(in: 1_000_000..<1 << 48)] as [UInt64])
  func nothingIsFound(scenario: Scenario, first: UInt64) throws {
    print("\(scenario) is simulated from seed \(first) on")
    for seed in first..<first + UInt64(scenario == .scheduling ? 50 : 30) { _ = try scenario.run(seed) }
  }

  /// Nothing but the seed decides.
  @Test(arguments: Scenario.allCases) func aSeedGivesTheSameEvents(scenario: Scenario) throws {
    let ends = [try scenario.run(5), try scenario.run(5)]
    #expect(ends[0] == ends[1])
    #expect(ends[0].allSatisfy { $0 > 0 })
  }
}
