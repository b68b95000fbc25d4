import FaceCore
import Posix
import Wire

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

/// Whether the engine can do its work: what its models said when they were last tried.
final class Health: Sendable {
  private struct State {
    var isStopping = false
    var failure: Status? = Status(.unavailable, "the models have not been tried yet")
  }

  private let models: any ModelProvider
  private let state = Monitor(State())

  init(_ models: any ModelProvider) {
    self.models = models
  }

  var status: ServingStatus {
    let isFit = state.withLock { state in !state.isStopping && state.failure == nil }
    return isFit && !models.models.isEmpty ? .serving : .notServing
  }

  /// Has the models detect something and keeps what comes of it; what is wrong, if something is.
  @discardableResult
  func test() -> Status? {
    var failure: Status?
    do throws(Status) {
      try models.selfTest()
    } catch {
      failure = error
    }
    return keep(failure)
  }

  /// - Parameter failure: `nil` when a test was passed elsewhere, as a model does when it is loaded.
  @discardableResult
  func keep(_ failure: Status?) -> Status? {
    state.withLock { state in state.failure = failure }
    return failure
  }

  /// From now on the engine is said not to serve.
  func beginStopping() {
    state.withLock { state in state.isStopping = true }
  }
}
