package import FaceCore
import Posix
import Wire

/// Tests the models at regular intervals, reloads them on request and releases them when no calls come, on
/// its own thread.
final class HealthMonitor: Sendable {
  /// A report of something that it has done.
  enum Report: Sendable {
    /// The models were tested; the value is the error, if any.
    case tested(Status?)
    /// The models were reloaded; the value is the error, if any.
    case reloaded(Status?)
    /// No call came, and the models' memory was released.
    case released
  }

  private enum Task {
    case test
    case reload
    case release
    case trim
    case end
  }

  private let service: DetectorService
  private let interval: TimeSpan
  /// The time without a call after which the models are released; 0 for never.
  private let idleTime: TimeSpan
  /// The time without a call after which memory that is kept for calls is returned to the system.
  private let pause: TimeSpan
  private let findIdle: @Sendable () -> MonotonicTime?
  private let findStuck: @Sendable () -> Status?
  private let notify: @Sendable (Report) -> Void
  /// The requested task that has not begun yet; a request to end stays.
  private let requested = Monitor<Task?>(nil)
  private let hasEnded = Monitor(false)
  private let ended = Condition()
  private let changed = Condition()
  /// The beginning of the pause in which that was done last.
  private let trimmedIdle = Monitor<MonotonicTime?>(nil)
  private let load = Monitor(LoadRecord())

  /// - Parameters:
  ///   - interval: the time between two tests.
  ///   - idleTime: the time without a call after which the models are released; 0 for never.
  ///   - pause: the time without a call after which memory that is kept for calls is freed.
  ///   - findIdle: returns since when there has been no call; `nil` while there is one.
  ///   - findStuck: returns why no worker will take a call soon; `nil` if one will. The self-test has a
  ///     thread of its own and would not notice. Also asks the processes that start decoders for a sign.
  ///   - notify: called on the monitor's thread.
  init(
    service: DetectorService, interval: TimeSpan, idleTime: TimeSpan = .zero, pause: TimeSpan,
    findIdle: @escaping @Sendable () -> MonotonicTime? = { nil },
    findStuck: @escaping @Sendable () -> Status?,
    notify: @escaping @Sendable (Report) -> Void
  ) {
    self.service = service
    self.interval = interval
    self.idleTime = idleTime
    self.pause = pause
    self.findIdle = findIdle
    self.findStuck = findStuck
    self.notify = notify
  }

  /// Starts the thread. It ends after `stop`.
  func start() throws(Status) {
    _ = try Thread(name: "face-health") {
      self.run()
      self.hasEnded.withLock { $0 = true }
      self.ended.wakeAll()
    }
  }

  /// Requests a reload. Several requests before it begins lead to one reload.
  func requestReload() {
    request(.reload)
  }

  func stop() {
    request(.end)
  }

  /// Waits after `stop` until the thread is done, or the deadline has passed; returns whether it is done. A
  /// self-test may be stuck as calls are.
  func waitForEnd(until deadline: MonotonicTime) -> Bool {
    hasEnded.wait(for: ended, until: deadline) { $0 ? true : nil } ?? false
  }

  private func request(_ task: Task) {
    requested.withLock { requested in if requested != .end { requested = task } }
    changed.wakeAll()
  }

  private func run() {
    var testTime = MonotonicTime.now() + interval
    var releaseTime = idleTime > .zero ? MonotonicTime.now() + idleTime : .never
    var trimTime = MonotonicTime.now() + pause
    while true {
      switch nextTask(testTime, releaseTime, trimTime) {
      case .end: return
      case .reload:
        notify(.reloaded(service.reloadModels()))
        // A caller that reloads the models is going to use them.
        if idleTime > .zero { releaseTime = MonotonicTime.now() + idleTime }
      case .trim: trimTime = trim()
      case .test:
        let stuck = findStuck()
        if let stuck { service.health.record(stuck) }
        notify(.tested(stuck ?? service.health.test()))
        testTime = MonotonicTime.now() + interval
        // Calls may have come and gone since it was trimmed.
        trimTime = min(trimTime, trim())
      case .release: releaseTime = releaseIfIdle()
      }
    }
  }

  /// Frees memory that is kept for calls that have stopped, or have become fewer or smaller.
  /// - Returns: the time of the next check; `.never` if the next test is soon enough.
  private func trim() -> MonotonicTime {
    let now = MonotonicTime.now()
    let idle = findIdle()
    let due = (idle ?? now) + pause
    guard let idle, due <= now else {
      let runTime = service.statistics.runTime
      let hasCalmed = load.withLock { $0.record(runTime, at: now, every: pause) }
      if let hasCalmed { service.releaseMemoryOfBusierTimes(hasCalmed: hasCalmed) }
      return due
    }
    let isNew = trimmedIdle.withLock { last in
      defer { last = idle }
      return last != idle
    }
    if isNew { service.releaseUnusedMemory() }
    return .never
  }

  /// - Returns: the time of the next check.
  private func releaseIfIdle() -> MonotonicTime {
    let now = MonotonicTime.now()
    guard let idle = findIdle() else { return now + idleTime }
    let due = idle + idleTime
    if due > now { return due }
    if service.releaseModels() { notify(.released) }
    return now + idleTime
  }

  private func nextTask(
    _ testTime: MonotonicTime, _ releaseTime: MonotonicTime, _ trimTime: MonotonicTime
  ) -> Task {
    let time = min(testTime, releaseTime, trimTime)
    let task = requested.wait(for: changed, until: time) { requested -> Task? in
      defer { if requested != .end { requested = nil } }
      return requested
    }
    return task ?? (time == trimTime ? .trim : time == testTime ? .test : .release)
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

/// The engine's health: the result of the last test of its models, and whether calls are served now. Safe to use
/// from any thread.
final class Health: Sendable {
  private enum State {
    case untested
    case passed
    case failed
    case stopping
  }

  private let models: any ModelProvider
  private let isBlocked: @Sendable () -> Bool
  private let state = Monitor(State.untested)

  /// - Parameter isBlocked: returns whether a user may find no worker that will be free soon, or pictures cannot be
  ///   decoded.
  init(_ models: any ModelProvider, isBlocked: @escaping @Sendable () -> Bool) {
    self.models = models
    self.isBlocked = isBlocked
  }

  var status: ServingStatus {
    let hasPassed = state.withLock { $0 == .passed }
    return hasPassed && !models.models.isEmpty && !isBlocked() ? .serving : .notServing
  }

  /// Tests the models with a detection.
  /// - Returns: the error; `nil` on success.
  @discardableResult
  func test() -> Status? {
    var failure: Status?
    do throws(Status) {
      try models.selfTest()
    } catch {
      failure = error
    }
    record(failure)
    return failure
  }

  /// Stores the result of a test.
  /// - Parameter failure: the error; `nil` if the test was passed, here or by a model when it was loaded.
  func record(_ failure: Status?) {
    state.withLock { state in
      if state != .stopping { state = failure == nil ? .passed : .failed }
    }
  }

  /// Reports the engine as not serving from now on.
  func stopServing() {
    state.withLock { state in state = .stopping }
  }
}
