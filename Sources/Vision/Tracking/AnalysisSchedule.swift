/// Decides which frames of a stream are searched, so that the rate of searches does not exceed a limit.
public struct AnalysisSchedule: Sendable {
  /// Nanoseconds from one search to the next; 0: every frame is searched.
  private let period: Int64
  /// The time when the next search is due; `nil` before the first.
  private var due: Int64?
  private var lastFrame: Int64?

  /// - Parameter rate: searches a second; 0 for every frame.
  public init(rate: Float) {
    // The rate may be so low that its period is not representable in nanoseconds.
    period = rate > 0 ? Int64(min(1e9 / Double(rate), 0x1p62)) : 0
  }

  /// Whether frames between two searches are answered without a search.
  public var leavesOut: Bool { period > 0 }

  /// Returns whether the frame of `time`, in nanoseconds, must be searched: the one nearest to the time when
  /// a search is due. So every fifth of 25 frames a second is searched at a rate of 5, even if their times
  /// vary.
  ///
  /// Times that go backwards, and gaps, restart the schedule.
  public mutating func isDue(at time: Int64) -> Bool {
    defer { lastFrame = time }
    guard period > 0, let due, let lastFrame, time >= lastFrame, time < due else { return true }
    let (step, (early, isFarOff)) = (
      time.subtractingReportingOverflow(lastFrame), due.subtractingReportingOverflow(time)
    )
    return step.overflow || (!isFarOff && early < min(step.partialValue, period) / 2)
  }

  /// Records that the frame of `time` was searched.
  public mutating func searched(at time: Int64) {
    guard period > 0 else { return }
    let next = AnalysisSchedule.sum(due ?? time, period)
    let isNear = next > time && next <= AnalysisSchedule.sum(time, AnalysisSchedule.sum(period, period))
    due = isNear ? next : AnalysisSchedule.sum(time, period)
  }

  /// Adds without overflow, because times may be any numbers.
  private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
