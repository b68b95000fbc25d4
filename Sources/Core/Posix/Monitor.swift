import CPosixShims
public import FaceCore
import Glibc

/// Protects `State` with a lock, with which threads can wait for the state to change.
///
/// Used instead of `Mutex` wherever two threads may contend, even if no thread waits for the state: the
/// thread sanitizer does not see how a contended `Synchronization.Mutex` changes hands, and what `Mutex`
/// records about its thread is wrong in a fork. pthread_mutex_init(3)
public final class Monitor<State>: @unchecked Sendable {
  // The state is touched only under the mutex, which needs an address that never changes.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var state: State

  public init(_ state: sending State) {
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    self.state = state
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the lock held.
  public func withLock<Value, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Acquires the lock. For fork handlers only, which have to hold it between two calls.
  /// pthread_mutex_lock(3)
  public func lock() { pthread_mutex_lock(mutex) }

  /// Releases the lock. For fork handlers only. pthread_mutex_unlock(3)
  public func unlock() { pthread_mutex_unlock(mutex) }

  /// Runs `body` with the lock held, repeatedly until it returns a value; in between the lock is free and the
  /// thread waits to be woken by `condition`.
  ///
  /// `body` returns before each wait, rather than waiting inside, because its `inout` promises the compiler
  /// that no other code changes the state meanwhile.
  /// - Returns: `nil` when `deadline` was reached and `body` still returned none. pthread_cond_timedwait(3)
  public func wait<Value, Failure: Error>(
    for condition: Condition, until deadline: MonotonicTime = .never,
    _ body: (inout State) throws(Failure) -> Value?
  ) throws(Failure) -> Value? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let value = try body(&state) { return value }
      if deadline == .never {
        pthread_cond_wait(condition.raw, mutex)
      } else {
        var time = deadline.asTimespec
        if pthread_cond_timedwait(condition.raw, mutex, &time) == ETIMEDOUT { return try body(&state) }
      }
    }
  }
}

/// A condition variable for threads that wait in a `Monitor`. pthread_cond_init(3)
public final class Condition: @unchecked Sendable {
  // Only passed to pthread functions, which are safe to call from several threads.
  fileprivate let raw: UnsafeMutablePointer<pthread_cond_t>

  public init() {
    raw = .allocate(capacity: 1)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(raw, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(raw)
    raw.deallocate()
  }

  public func wakeOne() { pthread_cond_signal(raw) }

  /// Wakes all waiting threads. pthread_cond_broadcast(3)
  public func wakeAll() { pthread_cond_broadcast(raw) }
}
