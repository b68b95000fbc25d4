import Glibc
import Posix
import Synchronization
import Testing

@Suite struct SignalReaderTests {
  @Test func signalReaderReturnsPendingSignals() throws {
    let seen = Mutex<[ServiceSignal?]>([])
    // A thread of its own alone blocks the signals and alone is sent them.
    let thread = try Thread(name: "signals") {
      guard let reader = try? SignalReader() else { return }
      let before = reader.next()
      pthread_kill(pthread_self(), SIGTERM)
      let after = reader.next()
      seen.withLock { $0 = [before, after, reader.next()] }
    }
    thread.join()
    #expect(seen.withLock { $0 } == [nil, .terminate, nil])
  }
}
