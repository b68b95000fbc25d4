import FaceCore
import Simulation

import func Glibc.exit

/// simulate SEED EVENTS: seeds from SEED on, each for a part of the events. Prints the seed of a finding, or the
/// rate.
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let first = arguments.first ?? UInt64.random(in: 0..<1 << 48)
let events = Int(arguments.dropFirst().first ?? 1_000_000)
let eventsPerSeed = 2000
let start = MonotonicTime.now()
var done = 0
var seed = first
while done < events {
  let simulation = SchedulingSimulation(seed: seed)
  do throws(Finding) {
    try simulation.run(events: min(eventsPerSeed, events))
  } catch {
    print("make simulate SEED=\(seed) EVENTS=\(min(eventsPerSeed, events)): \(error); \(done) events before")
    exit(1)
  }
  done += simulation.eventCount
  seed += 1
}
let time = MonotonicTime.now() - start
print(
  "\(done) events of seeds \(first) to \(seed - 1) in \(time.seconds) s, \(Int(Double(done) / time.seconds)) a second"
)
