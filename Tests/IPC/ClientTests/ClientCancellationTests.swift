import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import Synchronization
import Testing
import Wire

/// A canceller ends calls from another thread, wherever they wait.
@Suite struct ClientCancellationTests {
  private func detect(
    _ client: Client, _ canceller: Canceller?, _ size: Int = 10
  ) -> Result<DetectionResult, Status> {
    [UInt8](repeating: 4, count: size).withUnsafeBytes { bytes in
      Result { () throws(Status) in
        try client.detect(
          ImageInput(.encoded(bytes), canceller: canceller), options: DetectionOptions())
      }
    }
  }

  private func code(_ result: Result<DetectionResult, Status>) -> StatusCode {
    if case .failure(let status) = result { status.code } else { .ok }
  }

  /// The engine never answers, so only the cancel ends a call: of the one that reads, and of one that is
  /// parked.
  @Test(arguments: [10, 300_000])
  func waitingCallsEndAtOnce(size: Int) throws {
    let engine = try TestServer { $0.workers = 1 }
    let client = try Client(socket: engine.socket)
    engine.detector.hold()
    let canceller = Canceller()
    let codes = Mutex<[StatusCode]>([])
    let threads = try (0..<4).map { _ in
      try Posix.Thread(name: "caller") {
        let code = code(detect(client, canceller, size))
        codes.withLock { $0.append(code) }
      }
    }
    engine.detector.waitUntilRunning(1)
    canceller.cancel()
    for thread in threads { thread.join() }
    #expect(codes.withLock { $0 } == Array(repeating: .cancelled, count: 4))
    engine.detector.release()
    // The connection still works, and later calls with that canceller end at once.
    #expect(code(detect(client, nil, size)) == .ok)
    #expect(code(detect(client, canceller, size)) == .cancelled)
  }

  @Test(arguments: [10, 300_000])
  func cancellationReachesTheEngine(size: Int) throws {
    let engine = try TestServer { $0.workers = 1 }
    let client = try Client(socket: engine.socket)
    engine.detector.hold()
    let canceller = Canceller()
    let thread = try Posix.Thread(name: "caller") { _ = code(detect(client, canceller, size)) }
    engine.detector.waitUntilRunning(1)
    canceller.cancel()
    thread.join()
    // While the detector holds, nothing but the cancel can end the call there.
    let cancelled = try eventually {
      let calls = try client.stats().methods.first { $0.method.hasSuffix("/Detect") }
      return calls?.failures[.cancelled]
    }
    #expect(cancelled == 1)
    engine.detector.release()
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
    let small = try Posix.Thread(name: "small") {
      #expect(code(detect(client, canceller)) == .cancelled)
    }
    #expect(comesTrue { hasRequest.withLock { $0 } })
    let large = try Posix.Thread(name: "large") {
      #expect(code(detect(client, nil, 3 << 20)) == .notFound)
    }
    CurrentProcess.sleep(for: .milliseconds(20))
    canceller.cancel()
    small.join()
    isStuck.withLock { $0 = false }
    large.join()
    #expect(comesTrue { cancelled.withLock { $0 } == [3] })
  }

  /// Other callers on the connection get their answers, whichever of them reads.
  @Test func cancellationLeavesOtherCallsOfTheConnection() throws {
    let engine = try TestServer { $0.workers = 1 }
    let client = try Client(socket: engine.socket)
    engine.detector.hold()
    let canceller = Canceller()
    let cancelled = Counter()
    let answered = Counter()
    let threads = try (0..<8).map { index in
      try Posix.Thread(name: "caller") {
        let code = code(detect(client, index % 2 == 0 ? canceller : nil))
        if code == .cancelled { cancelled.add() }
        if code == .ok { answered.add() }
      }
    }
    engine.detector.waitUntilRunning(1)
    canceller.cancel()
    for thread in threads.enumerated() where thread.offset % 2 == 0 { thread.element.join() }
    #expect(cancelled.value == 4)
    engine.detector.release()
    for thread in threads { thread.join() }
    #expect(answered.value == 4)
  }

  /// The engine does not answer Hello, and so does not know of cancelling.
  @Test func cancelEndsACallToASilentEngine() throws {
    let engine = try FaultyEngine { _, _ in [] }
    let client = try Client(socket: engine.path)
    let canceller = Canceller()
    let started = Counter()
    let thread = try Posix.Thread(name: "caller") {
      started.add()
      #expect(code(detect(client, canceller)) == .cancelled)
    }
    _ = eventually { started.value == 1 ? true : nil }
    canceller.cancel()
    thread.join()
  }

  @Test func cancelEndsABatch() throws {
    let engine = try TestServer { $0.workers = 1 }
    let client = try Client(socket: engine.socket)
    engine.detector.hold()
    let canceller = Canceller()
    let thread = try Posix.Thread(name: "caller") {
      let status = [1, 2, 3].withUnsafeBytes { bytes in
        let image = ImageInput(.encoded(bytes))
        return #expect(throws: Status.self) {
          try client.detectBatch(
            [image, image], options: DetectionOptions(), cancellation: CancellationToken(canceller: canceller)
          )
        }
      }
      #expect(status?.code == .cancelled)
    }
    engine.detector.waitUntilRunning(1)
    canceller.cancel()
    thread.join()
    engine.detector.release()
  }

  /// The cancel arrives in the pause before the next attempt to connect.
  @Test func cancelEndsACallThatWaitsForAnEngine() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    engine.stop()
    let canceller = Canceller()
    let thread = try Posix.Thread(name: "caller") {
      // Each failure makes the pause longer, until the cancel comes.
      while code(detect(client, canceller)) != .cancelled {}
    }
    CurrentProcess.sleep(for: .milliseconds(100))
    canceller.cancel()
    thread.join()
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
