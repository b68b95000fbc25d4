import FaceCore
import Posix

/// How who is no worker tells the event loop something: it is handled by the thread that waits for the peers.
final class Mailbox: Sendable {
  private struct State {
    var reports: [HealthMonitor.Report] = []
    var stop = false
  }

  let wakeup: Wakeup
  private let state = Monitor(State())

  init() throws(Status) {
    wakeup = try Wakeup()
  }

  func put(_ report: HealthMonitor.Report) {
    state.withLock { $0.reports.append(report) }
    wakeup.signal()
  }

  /// Has the thread that waits look again at how long it may.
  func wake() {
    wakeup.signal()
  }

  func requestStop() {
    state.withLock { $0.stop = true }
    wakeup.signal()
  }

  /// For the event loop, each time it was woken.
  func take() -> (reports: [HealthMonitor.Report], stop: Bool) {
    // Before the state is read, so that what is put later wakes again.
    wakeup.clear()
    return state.withLock { state in
      defer { state = State() }
      return (state.reports, state.stop)
    }
  }
}
