internal import Glibc

/// A value behind a lock, and threads that wait for it to change. POSIX's lock: the thread sanitizer does not see
/// Swift's.
final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }

  /// Waits until `body` returns a result.
  func wait<Result>(for body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      // An access of its own each time: during one access, the compiler need not see what other threads write.
      if let result = body(&value) { return result }
      pthread_cond_wait(changed, mutex)
    }
  }

  func wakeOne() { pthread_cond_signal(changed) }

  func wakeAll() { pthread_cond_broadcast(changed) }
}
