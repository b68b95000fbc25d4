import FaceCore
import Posix

/// Waits on a thread of its own for the end of the engine whose place this one takes. Until `complete`, that engine
/// resumes serving if this one fails.
final class Handover: Sendable {
  private let predecessor: Succession.Predecessor
  private let thread: Thread
  /// Whether this engine serves; `nil` while it does not yet, and false when it has failed.
  private let canServe: Monitor<Bool?>
  private let decided: Condition

  /// - Parameter uptime: that of the other engine when it began to hand over.
  init(
    _ predecessor: Succession.Predecessor, uptime: TimeSpan, _ loop: EventLoop, _ mailbox: Mailbox,
    _ statistics: Statistics
  ) throws(Status) {
    let (canServe, decided) = (Monitor<Bool?>(nil), Condition())
    (self.canServe, self.decided, self.predecessor) = (canServe, decided, predecessor)
    thread = try Thread(name: "face-handover") {
      guard canServe.wait(for: decided, { $0 }) == true else { return }
      do throws(Status) {
        let counted = try predecessor.awaitEnd()
        // Otherwise the other engine resumes, and the file stays its own.
        guard canServe.withLock({ $0 }) == true else { return }
        loop.withLifecycle { $0.ownSocketFile() }
        guard var counters = counted else { return }
        // The time in which both engines ran counts once.
        counters.uptime = uptime
        statistics.inherit(counters)
      } catch {
        mailbox.post { $0.end = "the engine that this one was to replace keeps serving: \(error.message)" }
      }
    }
  }

  /// Lets the other engine end when it has finished its calls, since this one serves.
  func complete() {
    canServe.withLock { $0 = true }
    decided.wakeAll()
  }

  /// Makes the other engine resume serving, since this one cannot serve.
  func cancel() {
    canServe.withLock { $0 = false }
    decided.wakeAll()
    predecessor.release()
  }

  /// Waits until the other engine has ended, or is given up.
  func wait() {
    canServe.withLock { $0 = $0 ?? false }
    decided.wakeAll()
    thread.join()
  }
}
