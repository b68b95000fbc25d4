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

  /// Runs `body` on a new thread, which has the caller's signal mask.
  /// - Parameters:
  ///   - name: seen in debuggers and /proc; only the first 15 bytes count.
  ///   - blockingSignals: a host's signals are for its own threads; those that tell of a fault stay. pthread_sigmask(3)
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

  deinit {
    let id = id.withLock { $0.take() }
    if let id { pthread_detach(id) }
  }
}

/// Identifies a thread among those that run at the same time. pthread_self(3)
public struct ThreadIdentity: Equatable, Sendable {
  private let id: pthread_t

  public static var current: ThreadIdentity { ThreadIdentity(id: pthread_self()) }
}

/// One text a thread, as a C string that lives until the thread sets another or ends. pthread_key_create(3)
public struct ThreadLocalText: Sendable {
  private let key: pthread_key_t

  /// Keys are few and never given back: meant for statics.
  public init() {
    var key = pthread_key_t()
    pthread_key_create(&key, free)
    self.key = key
  }

  /// `nil` until this thread set one. pthread_getspecific(3)
  public var value: UnsafePointer<CChar>? {
    pthread_getspecific(key).map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
  }

  /// strdup(3), pthread_setspecific(3)
  public func set(_ text: String) {
    let old = pthread_getspecific(key)
    pthread_setspecific(key, strdup(text))
    free(old)
  }
}
