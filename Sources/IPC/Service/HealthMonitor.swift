import FaceCore
import Posix
import Wire

/// Tests the models at a steady pace, reloads them when asked, and releases them when no call comes, on a thread of its own.
final class HealthMonitor: Sendable {
  /// What it has done.
  enum Report: Sendable {
    /// With what was wrong.
    case tested(Status?)
    /// With what was wrong.
    case reloaded(Status?)
    /// No call came: the models' memory is released.
    case released
  }

  private enum Task {
    case test
    case reload
    case release
    case end
  }

  private let service: DetectorService
  private let interval: Int64
  /// Nanoseconds.
  private let idleTime: Int64
  private let findIdle: @Sendable () -> MonotonicTime?
  private let findStuck: @Sendable () -> Status?
  private let notify: @Sendable (Report) -> Void
  /// What was asked for and has not begun; the end stays.
  private let requested = Monitor<Task?>(nil)
  private let changed = Condition()

  /// - Parameters:
  ///   - interval: nanoseconds from test to test.
  ///   - idleTime: nanoseconds without a call after which the models are released; 0: never.
  ///   - findIdle: says since when there has been no call; `nil` while there is one.
  ///   - findStuck: says why no worker will take a call soon; `nil` while one will. The self-test has a thread of its own and
  ///     would not notice.
  ///   - notify: called on the monitor's thread.
  init(
    service: DetectorService, interval: Int64, idleTime: Int64 = 0,
    findIdle: @escaping @Sendable () -> MonotonicTime? = { nil },
    findStuck: @escaping @Sendable () -> Status?,
    notify: @escaping @Sendable (Report) -> Void
  ) {
    self.service = service
    self.interval = interval
    self.idleTime = idleTime
    self.findIdle = findIdle
    self.findStuck = findStuck
    self.notify = notify
  }

  /// Starts the thread. It ends after `stop`.
  func start() throws(Status) -> Thread {
    try Thread(name: "face-health") { self.run() }
  }

  /// Requested twice before it has begun, a reload is done once.
  func requestReload() {
    request(.reload)
  }

  func stop() {
    request(.end)
  }

  private func request(_ task: Task) {
    requested.withLock { requested in if requested != .end { requested = task } }
    changed.wakeAll()
  }

  private func run() {
    var testTime = MonotonicTime.now().advanced(byNanoseconds: interval)
    var releaseTime = idleTime > 0 ? MonotonicTime.now().advanced(byNanoseconds: idleTime) : .never
    while true {
      switch nextTask(testTime, releaseTime) {
      case .end: return
      case .reload:
        notify(.reloaded(service.reloadModels()))
        // Whoever reloads them has a use for them.
        if idleTime > 0 { releaseTime = MonotonicTime.now().advanced(byNanoseconds: idleTime) }
      case .test:
        let stuck = findStuck()
        if let stuck { service.health.record(stuck) }
        notify(.tested(stuck ?? service.health.test()))
        testTime = MonotonicTime.now().advanced(byNanoseconds: interval)
      case .release: releaseTime = releaseIfIdle()
      }
    }
  }

  /// - Returns: when to look again.
  private func releaseIfIdle() -> MonotonicTime {
    let now = MonotonicTime.now()
    guard let idle = findIdle() else { return now.advanced(byNanoseconds: idleTime) }
    let due = idle.advanced(byNanoseconds: idleTime)
    if due > now { return due }
    if service.releaseModels() { notify(.released) }
    return now.advanced(byNanoseconds: idleTime)
  }

  private func nextTask(_ testTime: MonotonicTime, _ releaseTime: MonotonicTime) -> Task {
    let task = requested.wait(for: changed, until: min(testTime, releaseTime)) { requested -> Task? in
      defer { if requested != .end { requested = nil } }
      return requested
    }
    return task ?? (testTime <= releaseTime ? .test : .release)
  }
}

/// Says whether the engine can do its work: what its models said when they were last tested. Any thread.
final class Health: Sendable {
  private enum State {
    case untested
    case passed
    case failed
    case stopping
  }

  private let models: any ModelProvider
  private let state = Monitor(State.untested)

  init(_ models: any ModelProvider) {
    self.models = models
  }

  var status: ServingStatus {
    let hasPassed = state.withLock { $0 == .passed }
    return hasPassed && !models.models.isEmpty ? .serving : .notServing
  }

  /// Has the models detect something.
  /// - Returns: what is wrong; `nil` when nothing is.
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

  /// Keeps the result of a test.
  /// - Parameter failure: `nil` when it was passed, here or elsewhere, as a model does when it is loaded.
  func record(_ failure: Status?) {
    state.withLock { state in
      if state != .stopping { state = failure == nil ? .passed : .failed }
    }
  }

  /// From now on the engine is said not to serve.
  func stopServing() {
    state.withLock { state in state = .stopping }
  }
}
