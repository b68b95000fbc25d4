import FaceCore
import Posix
import Testing

@Suite struct MonitorTests {
  @Test func waitEndsWhenWokenOrAtItsDeadline() throws {
    let monitor = Monitor(0)
    let changed = Condition()
    let thread = try Thread(name: "waker") {
      for _ in 0..<1000 {
        monitor.withLock { $0 += 1 }
        changed.wakeAll()
      }
    }
    let seen = monitor.wait(for: changed) { $0 == 1000 ? $0 : nil }
    thread.join()
    #expect(seen == 1000)
    let past = MonotonicTime.now()
    #expect(monitor.wait(for: changed, until: past) { _ in nil as Int? } == nil)
  }
}
