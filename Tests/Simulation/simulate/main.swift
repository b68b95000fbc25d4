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

for scenario in Scenario.allCases where wanted == nil || wanted == scenario.rawValue {
  let start = MonotonicTime.now()
  var done = 0
  var seed = first
  while done < events {
    do throws(SeededFinding) {
      done += try scenario.run(seed, atMost: events)[0]
    } catch {
      print("\(error); \(done) events before")
      exit(1)
    }
    seed += 1
  }
  let time = MonotonicTime.now() - start
  print(
    "\(scenario): \(done) events of seeds \(first) to \(seed - 1) in \(time.seconds) s, \(Int(Double(done) / time.seconds)) a second"
  )
}
guard wanted == nil || Scenario(rawValue: wanted ?? "") != nil else {
  print("there is no scenario \(wanted ?? ""); choose one of \(Scenario.allCases.map(\.rawValue))")
  exit(2)
}
