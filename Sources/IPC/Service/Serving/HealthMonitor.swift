package import FaceCore
import Posix

/// Tests the models at regular intervals, reloads them on request and releases them when no calls come, on
/// its own thread.
package final class HealthMonitor: Sendable {
  /// A report of something that it has done.
  package enum Report: Sendable {
    /// The models were tested; the value is the error, if any.
    case tested(Status?)
    /// The models were reloaded; the value is the error, if any.
    case reloaded(Status?)
    /// No call came, and the models' memory was released.
    case released
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
  private let requested = Monitor<HealthSchedule.Task?>(nil)
  private let hasEnded = Monitor(false)
  private let ended = Condition()
  private let changed = Condition()

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

  private func request(_ task: HealthSchedule.Task) {
    requested.withLock { requested in if requested != .end { requested = task } }
    changed.wakeAll()
  }

  private func run() {
    var schedule = HealthSchedule(interval: interval, idleTime: idleTime, pause: pause, at: .now())
    while true {
      let task = nextTask(schedule)
      switch task {
      case .end: return
      case .reload: notify(.reloaded(service.reloadModels()))
      case .trim: break
      case .test:
        let stuck = findStuck()
        if let stuck { service.health.record(stuck) }
        notify(.tested(stuck ?? service.health.test()))
      case .release: break
      }
      for action in schedule.finish(
        task, idleSince: findIdle(), runTime: service.statistics.runTime, at: .now())
      { perform(action) }
    }
  }

  private func perform(_ action: HealthSchedule.Action) {
    switch action {
    case .releaseUnusedMemory: service.releaseUnusedMemory()
    case .releaseMemoryOfBusierTimes(let hasCalmed):
      service.releaseMemoryOfBusierTimes(hasCalmed: hasCalmed)
    case .releaseModels: if service.releaseModels() { notify(.released) }
    }
  }

  private func nextTask(_ schedule: HealthSchedule) -> HealthSchedule.Task {
    let task = requested.wait(for: changed, until: schedule.nextTime) { requested -> HealthSchedule.Task? in
      defer { if requested != .end { requested = nil } }
      return requested
    }
    return task ?? schedule.nextTask
  }
}
