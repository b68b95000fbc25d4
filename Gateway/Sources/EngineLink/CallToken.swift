import Synchronization

/// Cancels a call, before or after it has begun.
package final class CallToken: Sendable {
  private struct State {
    var isCancelled = false
    var cancel: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  package init() {}

  /// Sets the function that cancels the call. It is called at once if the token was cancelled before.
  package func arm(_ cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.cancel = cancel
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  package func disarm() { state.withLock { $0.cancel = nil } }

  package func cancel() {
    let cancel = state.withLock { state in
      state.isCancelled = true
      return state.cancel.take()
    }
    cancel?()
  }
}
