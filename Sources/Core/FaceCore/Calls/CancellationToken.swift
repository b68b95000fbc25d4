import Synchronization

import var Glibc.CLOCK_THREAD_CPUTIME_ID
import func Glibc.clock_gettime
import struct Glibc.timespec

/// Tells the code that works on a call when to end it early: after its deadline, once one of its cancellers
/// was cancelled, or when it has used its processor time.
///
/// It travels with the call's image. It is checked between the stages of the work and between the faces of an
/// image.
public struct CancellationToken: Sendable {
  public var deadline: MonotonicTime
  /// The canceller that the caller of the call may hold.
  public let canceller: Canceller?
  /// The canceller of the code that runs the call, such as that of a stream that is closed or a connection
  /// that is lost.
  private let owner: Canceller?
  /// Processor time of the thread that works on the call, its limit, and what other processes have used for
  /// the call; `nil` for no limit.
  private var budget: (end: TimeSpan, limit: TimeSpan, elsewhere: ProcessorTimeMeter)?
  /// Called at each `check`, before the limits are examined. The service pauses calls there; tests count the
  /// checks and end the call at one of them.
  package var asked: (@Sendable () -> Void)?
  /// Called with true before the call waits for what other calls hold, and with false when it continues. The service
  /// lets others run meanwhile.
  package var stalls: (@Sendable (Bool) -> Void)?

  public init(deadline: MonotonicTime = .never, canceller: Canceller? = nil, owner: Canceller? = nil) {
    self.deadline = deadline
    self.canceller = canceller
    self.owner = owner
  }

  /// - Parameter timeout: how long the call may take from now; 0 for no deadline.
  public init(timeout: TimeSpan, canceller: Canceller? = nil) {
    self.init(deadline: .deadline(after: timeout), canceller: canceller)
  }

  public var isCancelled: Bool { canceller?.isCancelled == true || owner?.isCancelled == true }

  /// Whether the call is to end.
  public var isOver: Bool { isCancelled || deadline.isPast }

  /// The time to the deadline, at least 1 ns; 0 where there is none.
  public var remaining: TimeSpan {
    deadline == .never ? .zero : max(.nanoseconds(1), deadline - .now())
  }

  /// Returns the same token with `deadline` if that is earlier.
  public func until(_ deadline: MonotonicTime) -> CancellationToken {
    var token = self
    token.deadline = min(self.deadline, deadline)
    return token
  }

  /// Returns the same token for a call that runs on this thread and may use no more than `limit` of its
  /// processor time from now.
  public func limited(toProcessorTime limit: TimeSpan) -> CancellationToken {
    var token = self
    token.budget = (CancellationToken.processorTime.saturatingAdd(limit), limit, ProcessorTimeMeter())
    return token
  }

  /// Counts processor time that another process has used for the call.
  public func charge(_ time: TimeSpan) {
    budget?.elsewhere.nanoseconds.wrappingAdd(time.nanoseconds, ordering: .relaxed)
  }

  /// The processor time that this thread has used. clock_gettime(2), CLOCK_THREAD_CPUTIME_ID
  private static var processorTime: TimeSpan {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return TimeSpan(time)
  }

  /// Throws when the call is to end: the canceller's reason, `deadlineExceeded`, or `resourceExhausted` when
  /// the processor time is used up.
  public func check() throws(Status) {
    asked?()
    try checkWhileWaiting()
    if let budget, CancellationToken.processorTime.saturatingAdd(budget.elsewhere.value) > budget.end {
      throw Status(
        .resourceExhausted,
        "the call used up its \(budget.limit / .milliseconds(1)) ms of processor time; "
          + "set a lower max_side, request fewer faces or outputs, or raise the engine's --limit processor-time-per-call",
        .limit("processor_time_per_call_ns"))
    }
  }

  /// Does the same for a call that waits for others: it is not paused, and uses no processor time.
  package func checkWhileWaiting() throws(Status) {
    if let owner, owner.isCancelled { throw owner.reason }
    if let canceller, canceller.isCancelled { throw canceller.reason }
    if deadline.isPast { throw CancellationToken.late }
  }

  private static let late = Status(
    .deadlineExceeded, "the call exceeded its timeout; allow more time, or set a lower max_side")
}

/// Processor time that was used for a call outside of its thread.
private final class ProcessorTimeMeter: Sendable {
  let nanoseconds = Atomic<Int64>(0)
  var value: TimeSpan { TimeSpan(nanoseconds: nanoseconds.load(ordering: .relaxed)) }
}

/// Cancels calls from another thread. One canceller may serve any number of calls, also one after the other.
public final class Canceller: Sendable, Equatable {
  private struct State {
    var lastKey: UInt64 = 0
    var handlers: [UInt64: @Sendable () -> Void] = [:]
  }

  /// The status that a cancelled call throws.
  public let reason: Status
  /// Set under the lock of `state`, read without it.
  private let cancelled = Atomic(false)
  private let state = Mutex(State())
  /// Tells the thread sanitizer what it does not see: that a contended `Mutex` has changed hands.
  private let handover = Atomic(0)

  public init(reason: Status = Canceller.status) {
    self.reason = reason
  }

  public static func == (one: Canceller, other: Canceller) -> Bool { one === other }

  public static let status = Status(.cancelled, "the call was cancelled by its caller")

  public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Ends every call that was or will be given this canceller. Does nothing the second time. Any thread may
  /// call it.
  public func cancel() {
    let handlers = withState { state in
      cancelled.store(true, ordering: .releasing)
      defer { state.handlers = [:] }
      return state.handlers
    }
    for handler in handlers.values { handler() }
  }

  /// Runs `body`, and `handler` if the cancel comes before `body` has returned; at once if it came already.
  ///
  /// The handler runs once, on the thread that cancels and under no lock; it may still be running when this
  /// returns.
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

  /// Returns `nil` when it was cancelled already.
  private func add(_ handler: @escaping @Sendable () -> Void) -> UInt64? {
    withState { state in
      if isCancelled { return nil }
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
