import Simulation
import Testing

/// What the engine promises, for made-up users, clients, workers and times. A finding names its seed: `make simulate`
/// replays it.
@Suite struct SimulationTests {
  /// Many seeds from two fixed ones on, so that the suite does not fail by chance; `make simulate` has random ones.
  @Test(arguments: Scenario.allCases, [1, 1_000_000] as [UInt64])
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
