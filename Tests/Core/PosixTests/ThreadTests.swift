import Posix
import Synchronization
import Testing

@Suite struct ThreadTests {
  @Test func joinedThreadHasDoneItsWork() throws {
    let record = Count()
    let thread = try Thread(name: "a name longer than fifteen bytes") { record.add(1) }
    thread.join()
    thread.join()
    #expect(record.value == 1)
  }
}

private final class Count: Sendable {
  private let storage = Mutex(0)
  var value: Int { storage.withLock { $0 } }
  func add(_ count: Int) { storage.withLock { $0 += count } }
}
