import Synchronization

/// Ends calls from another thread. One may be given to any number of calls, also one after the other.
public final class Canceller: Sendable, Equatable {
  private struct State {
    var isCancelled = false
    var lastKey: UInt64 = 0
    var handlers: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())
  /// Tells the thread sanitizer what it does not see: that a contended `Mutex` has changed hands.
  private let handover = Atomic(0)

  public init() {}

  public static func == (one: Canceller, other: Canceller) -> Bool { one === other }

  /// What a cancelled call throws.
  public static let status = Status(.cancelled, "the call was cancelled by its caller")

  public var isCancelled: Bool { withState { state in state.isCancelled } }

  /// Ends every call that was or will be given this canceller. A second time does nothing. From any thread.
  public func cancel() {
    let handlers = withState { state in
      state.isCancelled = true
      defer { state.handlers = [:] }
      return state.handlers
    }
    for handler in handlers.values { handler() }
  }

  /// Runs `body`, and `handler` when the cancel comes before `body` has returned; at once when it came already.
  ///
  /// The handler runs once, on the thread that cancels and under no lock; it may still be at work when this returns.
  public func withHandler<Value, Failure: Error>(
    _ handler: @escaping @Sendable () -> Void, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard let key = add(handler) else {
      handler()
      return try body()
    }
    defer { withState { state in state.handlers[key] = nil } }
    return try body()
  }

  /// `nil` when it is too late for that.
  private func add(_ handler: @escaping @Sendable () -> Void) -> UInt64? {
    withState { state in
      if state.isCancelled { return nil }
      state.lastKey += 1
      state.handlers[state.lastKey] = handler
      return state.lastKey
    }
  }

  private func withState<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    state.withLock { state in
      _ = handover.load(ordering: .acquiring)
      defer { handover.store(0, ordering: .releasing) }
      return body(&state)
    }
  }
}
