import CPosixShims
public import FaceCore
import Glibc
import Synchronization

/// A thread of its own, detached unless joined. pthread_create(3)
public final class Thread: Sendable {
  private let id: Mutex<pthread_t?>

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Runs `body` on a new thread, which inherits the caller's signal mask.
  /// - Parameters:
  ///   - name: seen in debuggers and /proc; only the first 15 bytes count.
  ///   - blockingSignals: whether to block all signals but those of faults, so that the host's threads handle
  ///     the host's signals. pthread_sigmask(3)
  public init(
    name: String, blockingSignals: Bool = false, _ body: @escaping @Sendable () -> Void
  ) throws(Status) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var id = pthread_t()
    var callers = sigset_t()
    if blockingSignals {
      var blocked = sigset_t()
      sigfillset(&blocked)
      for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF] {
        sigdelset(&blocked, fault)
      }
      pthread_sigmask(SIG_SETMASK, &blocked, &callers)
    }
    defer { if blockingSignals { pthread_sigmask(SIG_SETMASK, &callers, nil) } }
    let code = pthread_create(
      &id, nil,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        face_posix_name_thread(String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
        // A host's callback on this thread can learn its id.
        pthread_setcancelstate(Thread.cancelDisabled, nil)
        start.body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw SystemError(call: "pthread_create", code: code).status("cannot start thread \(name)")
    }
    self.id = Mutex(id)
  }

  /// Waits until the thread's body has returned; at once when it was joined before. pthread_join(3)
  public func join() {
    let id = id.withLock { $0.take() }
    if let id { pthread_join(id, nil) }
  }

  /// Runs `body` to its end even if the calling thread is cancelled meanwhile. The thread then ends at its
  /// next cancellation point after this. A thread that ended inside would keep locks and leave calls without
  /// an answer. pthread_setcancelstate(3)
  public static func withoutCancellation<Value>(_ body: () -> Value) -> Value {
    var before: Int32 = 0
    pthread_setcancelstate(cancelDisabled, &before)
    defer { pthread_setcancelstate(before, nil) }
    return body()
  }

  private static let cancelDisabled = Int32(PTHREAD_CANCEL_DISABLE)

  deinit {
    let id = id.withLock { $0.take() }
    if let id { pthread_detach(id) }
  }
}

/// The identity of a thread among those that run at the same time. pthread_self(3)
public struct ThreadIdentity: Equatable, Sendable {
  private let id: pthread_t

  public static var current: ThreadIdentity { ThreadIdentity(id: pthread_self()) }
}

/// The C strings of the calling thread: the last one set and a few before it. The library has one set of them.
public enum ThreadLocalText {
  /// The last string of this thread; `nil` until it has set one. It lives until the thread has set several others, or
  /// ends.
  public static var value: UnsafePointer<CChar>? { face_posix_text() }

  public static func set(_ text: String) { face_posix_set_text(text) }
}
