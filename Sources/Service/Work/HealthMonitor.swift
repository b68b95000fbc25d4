import FaceCore
import Posix

/// A thread that looks after the models: tries them at a steady pace, and loads them anew when asked.
final class HealthMonitor: Sendable {
  /// What it has done.
  enum Report: Sendable {
    /// With what was wrong.
    case tested(Status?)
    /// With what was wrong.
    case reloaded(Status?)
  }

  private struct State {
    var reload = false
    var stopping = false
  }

  private enum Task {
    case test
    case reload
    case end
  }

  private let service: DetectorService
  private let interval: Int64
  private let deliver: @Sendable (Report) -> Void
  private let state = Monitor(State())
  private let news = Condition()

  /// - Parameters:
  ///   - interval: nanoseconds from test to test.
  ///   - deliver: called on the healthMonitor's thread.
  init(service: DetectorService, interval: Int64, deliver: @escaping @Sendable (Report) -> Void) {
    self.service = service
    self.interval = interval
    self.deliver = deliver
  }

  /// The thread ends after `stop`.
  func start() throws(Status) -> Thread {
    try Thread(name: "face-healthMonitor") { self.run() }
  }

  /// Asked for twice before it has begun, it is done once.
  func requestReload() {
    state.withLock { state in state.reload = true }
    news.wakeAll()
  }

  func stop() {
    state.withLock { state in state.stopping = true }
    news.wakeAll()
  }

  private func run() {
    var testTime = MonotonicTime.now().advanced(byNanoseconds: interval)
    while true {
      switch next(testTime) {
      case .end: return
      case .reload: deliver(.reloaded(service.reloadModels()))
      case .test:
        deliver(.tested(service.health.test()))
        testTime = MonotonicTime.now().advanced(byNanoseconds: interval)
      }
    }
  }

  private func next(_ testTime: MonotonicTime) -> Task {
    let task = state.wait(for: news, until: testTime) { state -> Task? in
      if state.stopping { return .end }
      guard state.reload else { return nil }
      state.reload = false
      return .reload
    }
    return task ?? .test
  }
}
