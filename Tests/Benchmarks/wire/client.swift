// client SOCKET COUNT: Health/Check with the engine's own client. Nanoseconds, one a line.
import Client
import Glibc

func now() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

let count = Int(CommandLine.arguments[2]) ?? 0
let client = try Client(socket: CommandLine.arguments[1])
for call in -200..<count {
  let start = now()
  guard try client.health() == .serving else { fatalError("the engine is not serving") }
  let end = now()
  if call >= 0 { print(end - start) }
}
