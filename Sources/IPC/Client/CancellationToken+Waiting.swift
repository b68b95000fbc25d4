import FaceCore
import Posix

extension CancellationToken {
  /// The failure of a call that ends early.
  var failure: Status { isCancelled ? Canceller.status : .unanswered }

  /// Waits like `monitor.wait`, but returns `nil` if the call is cancelled.
  func wait<State, Value, Failure: Error>(
    in monitor: Monitor<State>, for condition: Condition,
    _ body: (inout State) throws(Failure) -> Value?
  ) throws(Failure) -> Value? {
    guard let canceller else { return try monitor.wait(for: condition, until: deadline, body) }
    let wake: @Sendable () -> Void = {
      // Ensures that the wake-up does not fall between the check of the state and the wait that follows.
      monitor.withLock { _ in }
      condition.wakeAll()
    }
    return try canceller.withHandler(wake) { () throws(Failure) in
      let value = try monitor.wait(for: condition, until: deadline) { (state) throws(Failure) -> Value?? in
        if let value = try body(&state) { return .some(value) }
        return canceller.isCancelled ? .some(nil) : nil
      }
      return value ?? nil
    }
  }

  /// Runs `body`, and calls `handler` if the call is cancelled meanwhile.
  func interruptible<Value, Failure: Error>(
    _ handler: @escaping @Sendable () -> Void, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard let canceller else { return try body() }
    return try canceller.withHandler(handler, body)
  }
}
