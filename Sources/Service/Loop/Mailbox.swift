import FaceCore
import Posix

/// How other threads tell the event loop something.
final class Mailbox: Sendable {
  private struct State {
    var completions: [Completion] = []
    var reports: [Caretaker.Report] = []
    var stop = false
  }

  let wakeup: Wakeup
  /// A monitor, though nobody waits: the thread sanitizer does not see how a contended `Mutex` changes hands.
  private let state = Monitor(State())

  init() throws(Status) {
    wakeup = try Wakeup()
  }

  func put(_ completion: Completion) {
    let first = state.withLock { state in
      state.completions.append(completion)
      return state.completions.count == 1
    }
    if first { wakeup.signal() }
  }

  func put(_ report: Caretaker.Report) {
    state.withLock { $0.reports.append(report) }
    wakeup.signal()
  }

  func requestStop() {
    state.withLock { $0.stop = true }
    wakeup.signal()
  }

  /// For the event loop, each time it was woken.
  func take() -> (completions: [Completion], reports: [Caretaker.Report], stop: Bool) {
    // Before the state is read, so that what is put later wakes again.
    wakeup.clear()
    return state.withLock { state in
      defer { state = State() }
      return (state.completions, state.reports, state.stop)
    }
  }
}
