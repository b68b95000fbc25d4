import CPosixShims
import Glibc

/// A lock around `State`, with any number of conditions to wait for.
///
/// `Synchronization.Mutex` has no condition variable; where nobody waits, use that one.
/// pthread_mutex_init(3)
public final class Monitor<State>: @unchecked Sendable {
  // The state is touched only in `withLock`; the mutex needs an address that never changes.
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

  /// Runs `body` alone. `Lock` gives it the means to wait; it must not leave `body`.
  public func withLock<Value, Failure: Error>(
    _ body: (inout State, Lock) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state, Lock(mutex: mutex))
  }

  /// A monitor's lock while it is held.
  public struct Lock {
    fileprivate let mutex: UnsafeMutablePointer<pthread_mutex_t>
  }
}

/// Something that threads wait for under a monitor's lock, and are woken for. pthread_cond_init(3)
public final class Condition: @unchecked Sendable {
  // Only ever handed to pthread calls, which are made for several threads.
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  public init() {
    condition = .allocate(capacity: 1)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
  }

  /// Gives the lock up until woken or `deadline` is reached; may also return for no reason, so check again.
  /// pthread_cond_timedwait(3)
  public func wait<State>(_ lock: Monitor<State>.Lock, until deadline: MonotonicTime = .never) {
    if deadline == .never {
      pthread_cond_wait(condition, lock.mutex)
    } else {
      var time = deadline.asTimespec
      pthread_cond_timedwait(condition, lock.mutex, &time)
    }
  }

  /// pthread_cond_signal(3)
  public func wakeOne() { pthread_cond_signal(condition) }

  /// pthread_cond_broadcast(3)
  public func wakeAll() { pthread_cond_broadcast(condition) }
}
