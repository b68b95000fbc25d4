internal import Glibc
internal import Synchronization

/// Threads for calls of the C library. These calls compute, or wait for another process, for milliseconds and more.
/// Swift has few threads of its own; a call on one of them would block other tasks.
final class CallThreads: Sendable {
  private struct State {
    var calls: [(number: Int, run: () -> Void)] = []
    var last = 0
    var threads = 0
    var idle = 0
    var isClosed = false
  }

  /// The task that waits for a call.
  private struct Waiting<Result: Sendable> {
    var continuation: UnsafeContinuation<Swift.Result<Result, FaceError>, Never>?
    var number = 0
    var isCancelled = false
  }

  /// Swift's threads that may compute for a call: all but one, which other tasks always find free.
  private static let computing = Atomic(processors - 1)
  static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  private let state = Monitor(State())
  private let limit: Int

  /// - Parameter limit: how many calls run at the same time.
  init(limit: Int) { self.limit = limit }

  /// Ends the threads after the calls that wait.
  func close() {
    state.withLock { $0.isClosed = true }
    state.wakeAll()
  }

  /// Runs a call that computes, and ends within milliseconds when it is cancelled: on the task's own thread where that
  /// leaves one for other tasks, since to change threads twice takes longer than a small call.
  func compute<Result: Sendable>(
    _ body: @escaping @Sendable (Canceller) throws(FaceError) -> Result
  ) async throws(FaceError) -> Result {
    let left = CallThreads.computing.subtract(1, ordering: .relaxed).newValue
    defer { CallThreads.computing.add(1, ordering: .relaxed) }
    guard left >= 0 else { return try await run(borrows: true, body) }
    let canceller = try Canceller()
    return try await withTaskCancellationHandler {
      Swift.Result { () throws(FaceError) -> Result in try body(canceller) }
    } onCancel: {
      canceller.cancel()
    }.get()
  }

  /// Runs a call. If the task is cancelled, it waits no longer, and the call ends as its canceller says.
  /// - Parameter borrows: whether the call uses what is the caller's. Then a call that runs is waited for.
  func run<Result: Sendable>(
    borrows: Bool = false, _ body: @escaping @Sendable (Canceller) throws(FaceError) -> Result
  ) async throws(FaceError) -> Result {
    let canceller = try Canceller()
    let waiting = Monitor(Waiting<Result>())
    return try await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isCancelled = waiting.withLock { waiting in
          if !waiting.isCancelled { waiting.continuation = continuation }
          return waiting.isCancelled
        }
        if isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
        let number = start {
          let result = Swift.Result { () throws(FaceError) -> Result in try body(canceller) }
          waiting.withLock { $0.continuation.take() }?.resume(returning: result)
        }
        let isLate = waiting.withLock { waiting in
          waiting.number = number
          return waiting.isCancelled
        }
        if isLate { cancel(waiting, borrows) }
      }
    } onCancel: {
      canceller.cancel()
      waiting.withLock { $0.isCancelled = true }
      cancel(waiting, borrows)
    }.get()
  }

  private func cancel<Result>(_ waiting: Monitor<Waiting<Result>>, _ borrows: Bool) {
    let number = waiting.withLock { $0.number }
    let isRemoved = state.withLock { state in
      let place = state.calls.firstIndex { $0.number == number }
      if let place { state.calls.remove(at: place) }
      return place != nil
    }
    guard isRemoved || !borrows else { return }
    waiting.withLock { $0.continuation.take() }?.resume(returning: .failure(.cancelled))
  }

  /// Starts a call that nobody waits for.
  /// - Returns: its number.
  @discardableResult
  func start(_ run: @escaping @Sendable () -> Void) -> Int {
    let number = state.withLock { state in
      state.last += 1
      state.calls.append((state.last, run))
      if state.idle < state.calls.count && state.threads < limit && startThread(isFirst: state.threads == 0) {
        state.threads += 1
      }
      return state.last
    }
    state.wakeOne()
    return number
  }

  private func startThread(isFirst: Bool) -> Bool {
    // Signals are for the program's threads.
    var (all, former, thread) = (sigset_t(), sigset_t(), pthread_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    let kept = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { threads in
        if let threads { Unmanaged<CallThreads>.fromOpaque(threads).takeRetainedValue().work() }
        return nil
      }, kept.toOpaque())
    if status == 0 { return pthread_detach(thread) == 0 }
    kept.release()
    // With no thread at all the call would wait for ever.
    precondition(!isFirst, "the system starts no thread: \(status)")
    return false
  }

  private func work() {
    while let run = nextCall() { run() }
  }

  private func nextCall() -> (() -> Void)? {
    state.withLock { $0.idle += 1 }
    defer { state.withLock { $0.idle -= 1 } }
    return state.wait { state -> (() -> Void)?? in
      if !state.calls.isEmpty { return state.calls.removeFirst().run }
      return state.isClosed ? .some(nil) : nil
    }
  }
}
