package import FaceCore

/// Decides when the models are tested and when memory is freed. It has no thread and no clock; `HealthMonitor`
/// does what is due.
package struct HealthSchedule {
  package enum Task: Sendable {
    case test
    case reload
    case release
    case trim
    case end
  }

  package enum Action: Equatable {
    /// Free what calls left for the next ones, which do not come.
    case releaseUnusedMemory
    /// Free what busier times left, while calls go on.
    case releaseMemoryOfBusierTimes(hasCalmed: Bool)
    case releaseModels
  }

  private let interval: TimeSpan
  private let idleTime: TimeSpan
  private let pause: TimeSpan
  private var testTime: MonotonicTime
  private var releaseTime: MonotonicTime
  private var trimTime: MonotonicTime
  /// The beginning of the pause in which unused memory was released last.
  private var trimmedIdle: MonotonicTime?
  private var load = LoadRecord()

  /// - Parameters: see `HealthMonitor`.
  package init(interval: TimeSpan, idleTime: TimeSpan, pause: TimeSpan, at now: MonotonicTime) {
    (self.interval, self.idleTime, self.pause) = (interval, idleTime, pause)
    testTime = now + interval
    releaseTime = idleTime > .zero ? now + idleTime : .never
    trimTime = now + pause
  }

  package var nextTime: MonotonicTime { min(testTime, releaseTime, trimTime) }

  package var nextTask: Task { nextTime == trimTime ? .trim : nextTime == testTime ? .test : .release }

  /// Plans what comes after `task`, which is done.
  /// - Parameters:
  ///   - idleSince: since when there has been no call; `nil` while there is one.
  ///   - runTime: the time of all calls so far.
  package mutating func finish(
    _ task: Task, idleSince: MonotonicTime?, runTime: TimeSpan, at now: MonotonicTime
  ) -> [Action] {
    switch task {
    case .end: return []
    case .reload:
      // A caller that reloads the models is going to use them.
      if idleTime > .zero { releaseTime = now + idleTime }
      return []
    case .trim:
      let (next, action) = trim(idleSince, runTime, at: now)
      trimTime = next
      return action.map { [$0] } ?? []
    case .test:
      testTime = now + interval
      // Calls may have come and gone since it was trimmed.
      let (next, action) = trim(idleSince, runTime, at: now)
      trimTime = min(trimTime, next)
      return action.map { [$0] } ?? []
    case .release:
      releaseTime = (idleSince ?? now) + idleTime
      guard releaseTime <= now else { return [] }
      releaseTime = now + idleTime
      return [.releaseModels]
    }
  }

  /// Frees memory that is kept for calls that have stopped, or have become fewer or smaller.
  /// - Returns: the time of the next check, `.never` if the next test is soon enough; and what to do.
  private mutating func trim(
    _ idleSince: MonotonicTime?, _ runTime: TimeSpan, at now: MonotonicTime
  ) -> (next: MonotonicTime, action: Action?) {
    let due = (idleSince ?? now) + pause
    guard let idleSince, due <= now else {
      let hasCalmed = load.record(runTime, at: now, every: pause)
      return (due, hasCalmed.map { .releaseMemoryOfBusierTimes(hasCalmed: $0) })
    }
    let isNew = trimmedIdle != idleSince
    trimmedIdle = idleSince
    return (.never, isNew ? .releaseUnusedMemory : nil)
  }
}

/// The load of an engine over time, which says when it keeps memory of busier times.
package struct LoadRecord: Sendable {
  /// How far the load must fall below its highest: a steady load, whose memory would be needed again at once, varies
  /// less.
  private static let fall = 4.0

  private var last: (runTime: TimeSpan, time: MonotonicTime)?
  /// The highest load since the last fall: the share of the time in which calls ran, added up over all workers.
  private var highest = 0.0

  package init() {}

  /// Records the load since the last record, if that is at least `period` ago.
  /// - Parameter runTime: the time of all calls so far.
  /// - Returns: whether the load has fallen; `nil` if nothing was recorded.
  package mutating func record(_ runTime: TimeSpan, at time: MonotonicTime, every period: TimeSpan) -> Bool? {
    guard let before = last else {
      last = (runTime, time)
      return nil
    }
    let duration = time - before.time
    guard duration >= period else { return nil }
    last = (runTime, time)
    let load = (runTime - before.runTime).seconds / max(duration.seconds, 1e-3)
    let hasFallen = load < highest / Self.fall
    highest = hasFallen ? load : max(highest, load)
    return hasFallen
  }
}
