import FaceCore
import Glibc
import Posix
import Synchronization
import TestSupport
import Testing

@Suite struct SystemErrorTests {
  @Test func failedCallSaysWhichAndWhy() {
    let error = SystemError(call: "open", code: EACCES)
    #expect(
      error.status("cannot open /a")
        == Status(.permissionDenied, "cannot open /a: open failed: Permission denied"))
    #expect(SystemError(call: "x", code: 99_999).reason == "unknown error")
  }

  @Test(
    arguments: [
      (ENOENT, .notFound), (EMFILE, .resourceExhausted), (EADDRINUSE, .alreadyExists),
      (ECONNREFUSED, .unavailable),
      (EINVAL, .internal),
    ] as [(Int32, StatusCode)])
  func codesAreTranslated(code: Int32, expected: StatusCode) {
    #expect(SystemError(call: "x", code: code).status("").code == expected)
  }
}

@Suite struct TimeTests {
  @Test func neverIsLaterThanEverything() {
    #expect(MonotonicTime.now() < .never)
    #expect(MonotonicTime.never.advanced(byNanoseconds: 1) == .never)
    #expect(MonotonicTime.never.pollTimeout == -1)
    #expect(MonotonicTime(nanoseconds: 0).pollTimeout == 0)
  }

  @Test func pollTimeoutIsRoundedUpAndBounded() {
    #expect(MonotonicTime.now().advanced(byNanoseconds: 900_000_000_000).pollTimeout > 0)
    #expect(MonotonicTime.now().advanced(byNanoseconds: .max / 2).pollTimeout == .max)
  }
}

@Suite struct ThreadTests {
  @Test func joinedThreadHasDoneItsWork() throws {
    let record = Count()
    let thread = try Thread(name: "a name longer than fifteen bytes") { record.add(1) }
    thread.join()
    thread.join()
    #expect(record.value == 1)
  }

  @Test func waitersAreWokenAndTimeOut() throws {
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

private final class Count: Sendable {
  private let storage = Mutex(0)
  var value: Int { storage.withLock { $0 } }
  func add(_ count: Int) { storage.withLock { $0 += count } }
}

@Suite struct SignalTests {
  @Test func signalsAreRead() throws {
    let seen = Mutex<[ServiceSignal?]>([])
    // On a thread of its own, which alone blocks the signals and alone is sent them.
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

@Suite struct FileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [0, 1, 4096, 100_000])
  func readsWhatWasWritten(size: Int) throws {
    let path = folder.path("file")
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    for _ in 0..<2 { try bytes.withUnsafeBytes { try File.writeAtomically(path, $0) } }
    #expect(try File.read(path, limit: size) == bytes)
    if size > 0 {
      let status = #expect(throws: Status.self) { try File.read(path, limit: size - 1) }
      #expect(status?.code == .outOfRange)
      #expect(status?.message.contains(path) == true)
    }
  }

  @Test func whatIsNoFileIsNamed() {
    let missing = #expect(throws: Status.self) { try File.read(folder.path("none"), limit: 10) }
    #expect(missing?.code == .notFound)
    #expect(missing?.message.contains("none") == true)
    let directory = #expect(throws: Status.self) { try File.read(folder.path, limit: 10) }
    #expect(directory?.code == .invalidArgument)
    let pipe = folder.path("pipe")
    mkfifo(pipe, 0o600)
    let fifo = #expect(throws: Status.self) { try File.read(pipe, limit: 10) }
    #expect(fifo?.code == .invalidArgument)
    let nowhere = #expect(throws: Status.self) {
      try File.writeAtomically(folder.path("no/file"), UnsafeRawBufferPointer(start: nil, count: 0))
    }
    #expect(nowhere?.code == .notFound)
  }

  @Test func filesOfUnknownSizeAreRead() throws {
    // /proc says that its files are empty.
    let status = try File.read("/proc/self/status", limit: 1 << 20)
    #expect(status.starts(with: "Name:".utf8))
    #expect(throws: Status.self) { try File.read("/proc/self/status", limit: 10) }
  }
}
