internal import CFaceEngine
internal import Glibc
internal import Synchronization

/// Threads for calls of the C library. These calls compute, or wait for another process, for milliseconds and more. Swift has
/// few threads of its own; a call on one of them would block other tasks.
final class CallThreads: @unchecked Sendable {
  private struct Call {
    let number: Int
    let run: () -> Void
  }

  /// The task that waits for a call.
  private final class Waiting<Result: Sendable>: @unchecked Sendable {
    // Guarded by the mutex.
    var continuation: UnsafeContinuation<Swift.Result<Result, FaceError>, Never>?
    var number = 0
    var isCancelled = false
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let work = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let limit: Int
  // Guarded by the mutex.
  private var calls: [Call] = []
  private var last = 0
  private var count = 0
  private var idle = 0
  private var isClosed = false

  /// - Parameter limit: how many calls run at the same time.
  init(limit: Int) {
    self.limit = limit
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(work, nil)
  }

  deinit {
    pthread_cond_destroy(work)
    pthread_mutex_destroy(mutex)
    work.deallocate()
    mutex.deallocate()
  }

  /// Ends the threads after the calls that wait.
  func close() {
    withLock { isClosed = true }
    pthread_cond_broadcast(work)
  }

  /// Swift's threads that may compute for a call: all but one, which other tasks always find free.
  private static let computing = Atomic(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) - 1)

  /// Runs a call that computes, and ends within milliseconds when it is cancelled: on the task's own thread where that leaves
  /// one for other tasks, since to change threads twice takes longer than a small call.
  func compute<Result: Sendable>(
    _ body: @escaping @Sendable (Canceller) throws(FaceError) -> Result
  ) async throws(FaceError) -> Result {
    let left = CallThreads.computing.subtract(1, ordering: .relaxed).newValue
    defer { CallThreads.computing.add(1, ordering: .relaxed) }
    guard left >= 0 else { return try await run(borrows: true, body) }
    let canceller = try Canceller()
    let result = await withTaskCancellationHandler {
      Swift.Result { () throws(FaceError) -> Result in try body(canceller) }
    } onCancel: {
      canceller.cancel()
    }
    return try result.get()
  }

  /// Runs a call. If the task is cancelled, it waits no longer, and the call ends as its canceller says.
  /// - Parameter borrows: whether the call uses what is the caller's. Then a call that runs is waited for.
  func run<Result: Sendable>(
    borrows: Bool = false, _ body: @escaping @Sendable (Canceller) throws(FaceError) -> Result
  ) async throws(FaceError) -> Result {
    let canceller = try Canceller()
    let waiting = Waiting<Result>()
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isCancelled = withLock {
          guard !waiting.isCancelled else { return true }
          waiting.continuation = continuation
          waiting.number = add { [self] in
            let result = Swift.Result { () throws(FaceError) -> Result in try body(canceller) }
            withLock { waiting.continuation.take() }?.resume(returning: result)
          }
          return false
        }
        if isCancelled { continuation.resume(returning: .failure(.cancelled)) }
      }
    } onCancel: {
      canceller.cancel()
      let continuation = withLock {
        waiting.isCancelled = true
        let place = calls.firstIndex { $0.number == waiting.number }
        if let place { calls.remove(at: place) }
        return place != nil || !borrows ? waiting.continuation.take() : nil
      }
      continuation?.resume(returning: .failure(.cancelled))
    }
    return try result.get()
  }

  /// Runs a call that nobody waits for.
  func start(_ body: @escaping @Sendable () -> Void) {
    withLock { _ = add(body) }
  }

  private func withLock<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// With the mutex.
  /// - Returns: the number of the call.
  private func add(_ run: @escaping () -> Void) -> Int {
    last += 1
    calls.append(Call(number: last, run: run))
    if idle < calls.count && count < limit && startThread() { count += 1 }
    pthread_cond_signal(work)
    return last
  }

  private func startThread() -> Bool {
    // Signals are for the program's threads.
    var all = sigset_t()
    var former = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    var thread = pthread_t()
    let kept = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { threads in
        guard let threads else { return nil }
        Unmanaged<CallThreads>.fromOpaque(threads).takeRetainedValue().work(untilClosed: ())
        return nil
      }, kept.toOpaque())
    guard status == 0 else {
      kept.release()
      // With no thread at all the call would wait for ever.
      precondition(count > 0, "the system starts no thread: \(status)")
      return false
    }
    pthread_detach(thread)
    return true
  }

  private func work(untilClosed: Void) {
    while let run = nextCall() { run() }
  }

  private func nextCall() -> (() -> Void)? {
    withLock {
      idle += 1
      defer { idle -= 1 }
      while calls.isEmpty {
        guard !isClosed else { return nil }
        pthread_cond_wait(work, mutex)
      }
      return calls.removeFirst().run
    }
  }
}

/// Ends calls of other threads.
final class Canceller: @unchecked Sendable {
  // The library's functions for it may be called from any thread.
  let c: OpaquePointer

  init() throws(FaceError) {
    var canceller: OpaquePointer?
    try check(face_canceller_create(&canceller))
    guard let canceller else { throw FaceError(.internal, "there is no canceller") }
    c = canceller
  }

  deinit { face_canceller_destroy(c) }

  func cancel() { face_canceller_cancel(c) }
}
