import FaceCore
import Simulation

import func Glibc.exit

/// simulate SEED EVENTS [SCENARIO]: seeds from SEED on, each for a part of the events, in every scenario or that
/// one. Prints the seed of a finding, or the rate.
let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.compactMap { UInt64($0) }
let first = numbers.first ?? UInt64.random(in: 0..<1 << 48)
let events = Int(numbers.dropFirst().first ?? 1_000_000)
let wanted = arguments.first { UInt64($0) == nil }

/// Runs one seed of a scenario and returns its number of events.
let scenarios: [(name: String, eventsPerSeed: Int, run: (UInt64, Int) throws(Finding) -> Int)] = [
  (
    "scheduling", 10_000,
    { (seed, events) throws(Finding) in
      var simulation = SchedulingSimulation(seed: seed)
      try simulation.run(events: events)
      return simulation.eventCount
    }
  ),
  (
    "connections", 2000,
    { (seed, events) throws(Finding) in
      let simulation = try ConnectionSimulation(seed: seed)
      try simulation.run(events: events)
      return simulation.eventCount
    }
  ),
]
for scenario in scenarios where wanted == nil || wanted == scenario.name {
  let start = MonotonicTime.now()
  var done = 0
  var seed = first
  while done < events {
    let part = min(scenario.eventsPerSeed, events)
    do throws(Finding) {
      done += try scenario.run(seed, part)
    } catch {
      print(
        "make simulate SEED=\(seed) EVENTS=\(part) SCENARIO=\(scenario.name): \(error); \(done) events before"
      )
      exit(1)
    }
    seed += 1
  }
  let time = MonotonicTime.now() - start
  print(
    "\(scenario.name): \(done) events of seeds \(first) to \(seed - 1) in \(time.seconds) s, \(Int(Double(done) / time.seconds)) a second"
  )
}
guard wanted == nil || scenarios.contains(where: { $0.name == wanted }) else {
  print("there is no scenario \(wanted ?? ""); choose one of \(scenarios.map(\.name))")
  exit(2)
}
