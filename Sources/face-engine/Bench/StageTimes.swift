import FaceCore

/// How long the stages of many calls took.
struct StageTimes {
  private var stages: [StageClock.Stage: Histogram] = [:]
  private var calls = Histogram()

  /// Runs one call, which must have been given the clock's stages.
  /// - Parameter counts: whether its times are kept.
  mutating func measure<Result>(
    _ clock: BenchClock, counts: Bool, _ call: () throws(Status) -> Result
  ) throws(Status) -> Result {
    let start = clock.now()
    let result = try call()
    let whole = clock.now() - start
    let times = clock.stages.takeTimes()
    guard counts else { return result }
    calls.record(whole)
    for (stage, time) in times { stages[stage, default: Histogram()].record(time) }
    return result
  }

  /// Of whole calls: more than the stages together, which do not cover everything.
  var whole: DurationSummary { calls.summary }

  /// Of the calls in which `stage` ran; `nil` when there were none.
  subscript(_ stage: StageClock.Stage) -> DurationSummary? { stages[stage]?.summary }
}
