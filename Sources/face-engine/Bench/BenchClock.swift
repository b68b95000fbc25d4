import FaceCore
import Posix

/// What is measured with: the clock on the wall, or the time of processors.
struct BenchClock {
  let stages: StageClock
  let now: () -> Int64

  init(measuresProcessor: Bool) {
    now = measuresProcessor ? { Processor.timeUsed } : { MonotonicTime.now().nanoseconds }
    stages = StageClock(now: now)
  }
}
