import FaceCore

import func Glibc.exit

/// simulate-gateway SEED EVENTS: seeds from SEED on, each for a part of the events. Prints the seed of a finding, or
/// the rate.
let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let first = numbers.first ?? UInt64.random(in: 0..<1 << 48)
let events = Int(numbers.dropFirst().first ?? 1_000_000)
let start = MonotonicTime.now()
var done = 0
var ends: [Int] = [0, 0]
var seed = first
while done < events {
  let count = min(GatewaySimulation.eventsPerSeed, events - done)
  let simulation = try GatewaySimulation(seed: seed)
  if let finding = simulation.run(events: count) {
    print("make simulate SEED=\(seed) EVENTS=\(count) SCENARIO=gateway: \(finding); \(done) events before")
    exit(1)
  }
  for (index, end) in simulation.ends.enumerated() { ends[index] &+= end }
  done += count
  seed += 1
}
let duration = MonotonicTime.now() - start
print(
  "gateway: \(done) events of seeds \(first) to \(seed - 1); \(ends[0]) answers, \(ends[1]) ns in \(duration.seconds) s, \(Int(Double(done) / duration.seconds)) events a second"
)
