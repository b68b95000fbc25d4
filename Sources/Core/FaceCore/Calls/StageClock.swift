/// Measures the time of each stage of a call. It is passed along with the call's image; the code of a stage
/// calls `begin` and `end`.
///
/// The time of a nested stage counts for that stage only. One thread at a time.
public final class StageClock {
  /// The stages, in their order for a frame.
  public enum Stage: CaseIterable, Sendable {
    /// Decoding a file into pixels.
    case decode
    /// Scaling and rotating pixels for the network.
    case convert
    /// Running the network.
    case network
    /// Decoding the outputs to faces without overlaps.
    case boxes
    /// Computing outputs beyond the box: crops, their networks, and values derived from the points.
    case points
    /// Associating faces from frame to frame.
    case tracking
  }

  private let now: () -> TimeSpan
  /// Stages that have begun and not ended; the last one is running.
  private var begun: [Stage] = []
  private var last: TimeSpan = .zero
  private var times: [Stage: TimeSpan] = [:]

  /// - Parameter now: the time of any clock that does not go backwards.
  public init(now: @escaping () -> TimeSpan) {
    self.now = now
  }

  /// The stage that is running now.
  package var current: Stage? { begun.last }

  /// Begins a stage. Each call must be followed by its `end`, also where an error is thrown.
  public func begin(_ stage: Stage) {
    addElapsed()
    begun.append(stage)
  }

  /// Ends the stage that began last.
  public func end() {
    addElapsed()
    _ = begun.popLast()
  }

  /// Returns the time of each stage that ran since the last call, and resets it.
  public func takeTimes() -> [Stage: TimeSpan] {
    defer { times = [:] }
    return times
  }

  /// Adds the time since the last call to the stage that ran.
  private func addElapsed() {
    let time = now()
    if let running = begun.last { times[running, default: .zero] += time - last }
    last = time
  }
}
