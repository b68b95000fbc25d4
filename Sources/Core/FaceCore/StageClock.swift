/// Measures the time of each stage of a call. It travels with the call's image; the code of a stage calls `begin` and `end`.
///
/// The time of a stage inside another one counts for the inner one only. One thread at a time.
public final class StageClock {
  /// In the order of a frame.
  public enum Stage: CaseIterable, Sendable {
    /// From a file's bytes to pixels.
    case decode
    /// Pixels scaled and turned to what the network is to see.
    case convert
    /// From those pixels to the network's outputs.
    case network
    /// From the outputs to faces without overlaps.
    case boxes
    /// Outputs beyond the box: crops, their networks, what is computed from the points.
    case points
    /// Association of faces from frame to frame.
    case tracking
  }

  private let now: () -> Int64
  /// Stages that have begun and not ended; the last one runs.
  private var begun: [Stage] = []
  private var last: Int64 = 0
  private var times: [Stage: Int64] = [:]

  /// - Parameter now: nanoseconds of any clock that does not go backwards.
  public init(now: @escaping () -> Int64) {
    self.now = now
  }

  /// The stage that runs now.
  package var current: Stage? { begun.last }

  /// Each must be followed by its `end`, also where something is thrown.
  public func begin(_ stage: Stage) {
    addElapsed()
    begun.append(stage)
  }

  /// Ends the stage that began last.
  public func end() {
    addElapsed()
    _ = begun.popLast()
  }

  /// The nanoseconds of each stage that ran since the last call, which are forgotten.
  public func takeTimes() -> [Stage: Int64] {
    defer { times = [:] }
    return times
  }

  /// Adds the time since the last call to the stage that ran.
  private func addElapsed() {
    let time = now()
    if let running = begun.last { times[running, default: 0] += time - last }
    last = time
  }
}
