import Simulation
import Testing

/// What the scheduler promises, for made-up users, workers and times. A finding names its seed: `make simulate`
/// replays it.
@Suite struct SimulationTests {
  /// Half a million events each, from a fixed seed on and from a random one.
  @Test(arguments: [1, UInt64.random(in: 1_000_000..<1 << 48)] as [UInt64])
  func scheduling(first: UInt64) throws {
    print("simulated from seed \(first) on")
    for seed in first..<first + 50 {
      var simulation = SchedulingSimulation(seed: seed)
      do { try simulation.run(events: 10_000) } catch { throw SeededFinding(seed: seed, finding: error) }
    }
  }

  struct SeededFinding: Error, CustomStringConvertible {
    let seed: UInt64
    let finding: any Error
    var description: String { "make simulate SEED=\(seed) EVENTS=10000: \(finding)" }
  }

  /// Nothing but the seed decides.
  @Test func aSeedGivesTheSameEvents() throws {
    let ends = try (0..<2).map { _ in
      var simulation = SchedulingSimulation(seed: 5)
      try simulation.run(events: 10_000)
      return simulation.now
    }
    #expect(ends[0] == ends[1])
  }
}
