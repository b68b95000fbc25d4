import FaceCore
import Logging
import Posix

/// Waits for connections, signals and messages of other threads, and passes each on when it is ready.
///
/// One thread at a time waits, in `poll`; a thread that has run a call passes its answer to `deliver`.
/// Everything else is used only under `lock`, which a thread holds no longer than reading or writing a
/// socket's buffer takes.
///
/// This class has the threads and the clock. `EngineLifecycle` decides what happens to the engine, and
/// `ConnectionManager` what happens to connections and their calls.
final class EventLoop: @unchecked Sendable {
  private static let mailboxToken: UInt64 = 1
  private static let signalToken: UInt64 = 2

  /// Protects all mutable state, including the connections.
  private let lock = Monitor(())
  private let lifecycle: EngineLifecycle
  private let sockets: SocketPoller
  private let mailbox: Mailbox
  private let signals: SignalReader?

  init(
    file: consuming SocketFile, signals: consuming SignalReader?, mailbox: Mailbox,
    connections: ConnectionManager, healthMonitor: HealthMonitor, configuration: ServerConfiguration,
    logger: Logger
  ) throws(Status) {
    self.mailbox = mailbox
    let sockets = try SocketPoller()
    self.sockets = sockets
    lifecycle = try EngineLifecycle(
      connections, listener: SocketListener(file, sockets), drainTimeout: configuration.drainTimeout,
      requests: .init(
        notify: { configuration.manager?.notify($0) }, reload: { healthMonitor.requestReload() }),
      logger: logger)
    try sockets.poller.add(mailbox.wakeup, token: Self.mailboxToken, for: .read)
    self.signals = signals
    switch self.signals {
    case .some(let reader): try sockets.poller.add(reader, token: Self.signalToken, for: .read)
    case nil: break
    }
  }

  /// Lets `body` use the lifecycle. Any thread.
  func withLifecycle<Value>(_ body: (EngineLifecycle) -> Value) -> Value {
    lock.withLock { _ in body(lifecycle) }
  }

  /// Waits for the next event and handles it. One thread at a time.
  /// - Returns: see `EngineLifecycle.settle`.
  func poll() throws(Status) -> Bool? {
    let until = lock.withLock { _ in lifecycle.prepareToWait() }
    var failure: Status?
    try sockets.poller.wait(until: until) { event in
      lock.withLock { _ in
        do throws(Status) {
          try handle(event, at: .now())
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    return try lock.withLock { (_) throws(Status) in try lifecycle.settle(at: .now()) }
  }

  private func handle(_ event: Poller.Event, at now: MonotonicTime) throws(Status) {
    switch event.token {
    case SocketPoller.listenerToken: try lifecycle.accept(at: now)
    case Self.mailboxToken: lifecycle.handle(mailbox.empty(), at: now)
    case Self.signalToken: while let signal = signals?.next() { lifecycle.handle(signal, at: now) }
    default: lifecycle.connections.serve(event, at: now)
    }
  }

  /// Sends the answer of a job on the thread that ran it, so that no other thread has to be woken.
  func deliver(_ completion: Completion) {
    withLifecycle { if $0.deliver(completion, at: .now()) { mailbox.wake() } }
  }

  /// Wakes the waiting thread if something is due before it would wake. Called after a job whose rest another thread
  /// has queued.
  func reconsiderDeadline() {
    withLifecycle { if $0.isDue(at: .now()) { mailbox.wake() } }
  }

  /// Makes the waiting thread ask for its next turn.
  func wake() { mailbox.wake() }
}

/// Holds messages of other threads for the event loop, and wakes it.
final class Mailbox: Sendable {
  let wakeup: Wakeup
  private let mail = Monitor(EngineLifecycle.Mail())

  init() throws(Status) {
    wakeup = try Wakeup()
  }

  /// Changes the mail, and wakes the waiting thread to read it.
  func post(_ change: (inout EngineLifecycle.Mail) -> Void) {
    mail.withLock { change(&$0) }
    wakeup.signal()
  }

  /// Wakes the waiting thread, which then checks again how long it may wait.
  func wake() {
    wakeup.signal()
  }

  /// Takes everything that was posted since the last call.
  func empty() -> EngineLifecycle.Mail {
    // Before the mail is read, so that later posts wake the thread again.
    wakeup.clear()
    return mail.withLock { mail in
      defer { mail = EngineLifecycle.Mail() }
      return mail
    }
  }
}
