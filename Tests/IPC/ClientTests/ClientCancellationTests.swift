import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing
import Wire

/// A canceller ends calls from another thread, wherever they wait. No limit of time would end them.
@Suite struct ClientCancellationTests {
  /// The engine never answers, so only the cancel ends a call: of the one that reads, and of one that is
  /// parked.
  @Test(arguments: [10, 300_000])
  func waitingCallsEndAtOnce(size: Int) throws {
    let served = try Served { $0.workers = 1 }
    served.detector.hold()
    let canceller = Canceller()
    let codes = Mutex<[StatusCode]>([])
    let threads = try (0..<4).map { _ in
      try Posix.Thread(name: "caller") {
        let code = served.client.code(size, canceller: canceller)
        codes.withLock { $0.append(code) }
      }
    }
    served.detector.waitUntilRunning(1)
    canceller.cancel()
    for thread in threads { thread.join() }
    #expect(codes.withLock { $0 } == Array(repeating: .cancelled, count: 4))
    // While the detector holds, nothing but the cancel can end a call there. One that was not sent is unknown there.
    #expect(
      try comesTrue {
        let calls = try served.client.stats().methods.first { $0.method.hasSuffix("/Detect") }
        return (calls?.failures[.cancelled] ?? 0) > 0
      })
    served.detector.release()
    // The connection still works, and later calls with that canceller end at once.
    #expect(served.client.code(size) == .ok)
    #expect(served.client.code(size, canceller: canceller) == .cancelled)
  }

  /// Another caller is in the middle of a large request: the cancel is sent right after it.
  @Test func cancellationReachesTheEngineBehindALargeRequest() throws {
    let isStuck = Mutex(true)
    let hasRequest = Mutex(false)
    let cancelled = Mutex<[UInt32]>([])
    // The engine reads no further while it is stuck with the first request.
    let engine = try FaultyEngine(features: [.cancel]) { connection, frame in
      if frame.header.type == FrameType.cancel.rawValue {
        cancelled.withLock { $0.append(frame.header.stream) }
        return []
      }
      hasRequest.withLock { $0 = true }
      while connection.framesSeen == 2, isStuck.withLock({ $0 }) {
        CurrentProcess.sleep(for: .milliseconds(1))
      }
      let status = Status(.notFound, "nobody")
      return connection.framesSeen == 2 ? [] : FailedCall.responseFrame(stream: frame.header.stream, status)
    }
    let client = try Client(socket: engine.path)
    let canceller = Canceller()
    let small = try Posix.Thread(name: "small") { #expect(client.code(canceller: canceller) == .cancelled) }
    #expect(comesTrue { hasRequest.withLock { $0 } })
    let large = try Posix.Thread(name: "large") { #expect(client.code(3 << 20) == .notFound) }
    #expect(comeToWait("large"))
    canceller.cancel()
    small.join()
    isStuck.withLock { $0 = false }
    large.join()
    #expect(comesTrue { cancelled.withLock { $0 } == [3] })
  }

  /// The engine does not read a large request to its end. The rest of it, and its CANCEL, go before the next call.
  @Test func cancelEndsACallThatIsSentInPart() throws {
    let isStuck = Mutex(true)
    let hasRequest = Mutex(false)
    let cancelled = Mutex<[UInt32]>([])
    let engine = try FaultyEngine(features: [.cancel]) { connection, frame in
      if frame.header.type == FrameType.cancel.rawValue {
        cancelled.withLock { $0.append(frame.header.stream) }
        return []
      }
      hasRequest.withLock { $0 = true }
      while isStuck.withLock({ $0 }) { CurrentProcess.sleep(for: .milliseconds(1)) }
      return FailedCall.responseFrame(stream: frame.header.stream, Status(.notFound, "nobody"))
    }
    let client = try Client(socket: engine.path)
    let canceller = Canceller()
    let small = try Posix.Thread(name: "small") { #expect(client.code() == .notFound) }
    #expect(comesTrue { hasRequest.withLock { $0 } })
    let large = try Posix.Thread(name: "large") {
      #expect(client.code(3 << 20, canceller: canceller) == .cancelled)
    }
    #expect(comeToWait("large"))
    canceller.cancel()
    large.join()
    isStuck.withLock { $0 = false }
    small.join()
    #expect(client.code() == .notFound)
    #expect(cancelled.withLock { $0 } == [5])
  }

  /// Other callers on the connection get their answers, whichever of them reads.
  @Test func cancellationLeavesOtherCallsOfTheConnection() throws {
    let served = try Served { $0.workers = 1 }
    served.detector.hold()
    let canceller = Canceller()
    let cancelled = Counter()
    let answered = Counter()
    let threads = try (0..<8).map { index in
      try Posix.Thread(name: "caller") {
        let code = served.client.code(canceller: index % 2 == 0 ? canceller : nil)
        if code == .cancelled { cancelled.add() }
        if code == .ok { answered.add() }
      }
    }
    served.detector.waitUntilRunning(1)
    canceller.cancel()
    for thread in threads.enumerated() where thread.offset % 2 == 0 { thread.element.join() }
    #expect(cancelled.value == 4)
    served.detector.release()
    for thread in threads { thread.join() }
    #expect(answered.value == 4)
  }

  @Test func cancelEndsABatch() throws {
    let served = try Served { $0.workers = 1 }
    served.detector.hold()
    let canceller = Canceller()
    let thread = try Posix.Thread(name: "caller") {
      [1, 2, 3].withUnsafeBytes { bytes in
        let image = ImageInput(.encoded(bytes))
        _ = expectFailure(.cancelled) {
          try served.client.detectBatch(
            [image, image], options: DetectionOptions(), cancellation: CancellationToken(canceller: canceller)
          )
        }
      }
    }
    served.detector.waitUntilRunning(1)
    canceller.cancel()
    thread.join()
    served.detector.release()
  }

  /// The cancel arrives in the pause before the next attempt to connect.
  @Test func cancelEndsACallThatWaitsForAnEngine() throws {
    let served = try Served()
    served.engine.stop()
    let canceller = Canceller()
    let failed = Counter()
    let thread = try Posix.Thread(name: "caller") {
      // Each failure makes the pause longer, until the cancel comes.
      while served.client.code(canceller: canceller) != .cancelled { failed.add() }
    }
    #expect(comesTrue { failed.value > 10 })
    canceller.cancel()
    thread.join()
  }

  /// Expects that a thread that has come to wait for the engine ends with the cancel.
  private func expectCancelled<Result: ~Copyable>(
    _ canceller: Canceller, _ body: @escaping @Sendable () throws -> Result
  ) throws {
    let thread = try Posix.Thread(name: "waiting") { _ = expectFailure(.cancelled, of: body) }
    #expect(comeToWait("waiting"))
    canceller.cancel()
    thread.join()
  }

  /// The engine does not answer Hello, and so does not know of cancelling.
  @Test func cancelEndsACallToASilentEngine() throws {
    let engine = try FaultyEngine { _, _ in [] }
    let (client, canceller) = (try Client(socket: engine.path), Canceller())
    try expectCancelled(canceller) { try client.detect([4], canceller: canceller) }
  }

  @Test func cancelEndsTheOpeningOfAStream() throws {
    let served = try Served(timeout: .zero)
    served.engine.stop()
    let silent = try SocketFile.claim(try SocketPath(served.engine.socket))
    let canceller = Canceller()
    try expectCancelled(canceller) { try served.open(StreamOptions(.every, canceller: canceller)) }
    _ = silent
  }

  @Test func cancelEndsConnecting() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    let silent = try SocketFile.claim(try SocketPath(path))
    let canceller = Canceller()
    try expectCancelled(canceller) {
      try Client(socket: path, options: ClientOptions(timeout: .zero), canceller: canceller)
    }
    _ = silent
  }

  /// The engine holds one frame; others wait here, and in mode `every` so does a submission.
  @Test(arguments: [StreamMode.every, .newest])
  func cancelEndsTheFramesAndTheStream(mode: StreamMode) throws {
    let served = try Served(timeout: .zero) { $0.workers = 1 }
    served.detector.hold()
    let canceller = Canceller()
    let stream = try served.open(StreamOptions(mode, canceller: canceller))
    let submitted = Counter()
    let thread = try Posix.Thread(name: "submit") {
      while mode == .every || submitted.value < 3 {
        if let refusal = stream.refusal(1) {
          #expect(refusal.code == .cancelled)
          return
        }
        submitted.add()
      }
    }
    served.detector.waitUntilRunning(1)
    if mode == .newest { thread.join() }
    canceller.cancel()
    if mode == .every { thread.join() }
    stream.close()
    #expect(served.log.events.count == submitted.value)
    #expect(served.log.failures.last == .cancelled)
    #expect(stream.refusal(1)?.code == .cancelled)
    served.detector.release()
  }

  @Test func handlersRunOnce() {
    let canceller = Canceller()
    let count = Counter()
    canceller.withHandler({ count.add() }) {}
    canceller.withHandler({ count.add() }) {
      canceller.cancel()
      canceller.cancel()
      #expect(count.value == 1)
    }
    #expect(canceller.isCancelled)
    canceller.withHandler({ count.add() }) { #expect(count.value == 2) }
    #expect(count.value == 2)
  }
}
