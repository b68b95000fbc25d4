import FaceCore
import Posix
import Wire

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
