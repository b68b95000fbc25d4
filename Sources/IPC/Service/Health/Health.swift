package import FaceCore
import Posix
package import Wire

/// The engine's health: the result of the last test of its models, and whether calls are served now. Safe to use
/// from any thread.
package final class Health: Sendable {
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

  package var status: ServingStatus {
    let hasPassed = state.withLock { $0 == .passed }
    return hasPassed && !models.models.isEmpty && !isBlocked() ? .serving : .notServing
  }

  /// Tests the models with a detection.
  /// - Returns: the error; `nil` on success.
  @discardableResult
  package func test() -> Status? {
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
  package func record(_ failure: Status?) {
    state.withLock { state in
      if state != .stopping { state = failure == nil ? .passed : .failed }
    }
  }

  /// Reports the engine as not serving from now on.
  func stopServing() {
    state.withLock { state in state = .stopping }
  }
}
