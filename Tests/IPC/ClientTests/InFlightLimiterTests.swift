import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

/// With more callers than the engine takes calls on one connection, each waits for its turn within its own
/// deadline.
@Suite struct InFlightLimiterTests {
  private func code(
    _ client: Client, _ size: Int = 10, timeout: TimeSpan = .zero, _ canceller: Canceller? = nil
  ) -> StatusCode {
    [UInt8](repeating: 4, count: size).withUnsafeBytes { bytes in
      do throws(Status) {
        let image = ImageInput(.encoded(bytes), timeout: timeout, canceller: canceller)
        let result = try client.detect(image, options: DetectionOptions())
        return result.imageSize.width == size ? .ok : .dataLoss
      } catch {
        return error.code
      }
    }
  }

  @Test(arguments: [10, 300_000])
  func everyCallerHasItsTurn(size: Int) throws {
    let engine = try TestServer { $0.limits.callsPerConnection = 2 }
    let client = try Client(socket: engine.socket)
    let codes = Monitor<[StatusCode: Int]>([:])
    try withoutActuallyEscaping({ (caller: Int) in
      for round in 0..<20 {
        let code = code(client, size + caller * 20 + round)
        codes.withLock { $0[code, default: 0] += 1 }
      }
    }) { work in
      try concurrently(20, work)
    }
    #expect(codes.withLock { $0 } == [.ok: 400])
    #expect(engine.detector.calls == 400)
  }

  @Test func waitForATurnEndsAtTheDeadlineOrTheCancel() throws {
    let engine = try TestServer { $0.limits.callsPerConnection = 1 }
    let client = try Client(socket: engine.socket)
    engine.detector.hold()
    let first = try Posix.Thread(name: "first") { #expect(code(client) == .ok) }
    engine.detector.waitUntilRunning(1)
    #expect(code(client, timeout: 20_000_000) == .deadlineExceeded)
    let canceller = Canceller()
    let second = try Posix.Thread(name: "second") { #expect(code(client, canceller) == .cancelled) }
    CurrentProcess.sleep(for: .milliseconds(20))
    canceller.cancel()
    second.join()
    // Calls that the engine answers at once need no turn.
    #expect(try client.health() == .serving)
    #expect(try client.info().version == "1.2.3")
    engine.detector.release()
    first.join()
    #expect(code(client) == .ok)
    #expect(engine.detector.calls == 2)
  }

  private func code(_ client: Client, _ canceller: Canceller) -> StatusCode {
    code(client, 10, timeout: 0, canceller)
  }

  /// Answers to calls that were given up make room, though no caller waits for them.
  @Test func lateCallsGiveTheirPlacesBack() throws {
    let engine = try TestServer {
      $0.limits.callsPerConnection = 2
      $0.workers = 1
    }
    let client = try Client(socket: engine.socket)
    for _ in 0..<3 {
      engine.detector.hold()
      try withoutActuallyEscaping({ (_: Int) in
        #expect(code(client, timeout: 20_000_000) == .deadlineExceeded)
      }) { work in
        try concurrently(4, work)
      }
      engine.detector.release()
      #expect(code(client) == .ok)
    }
  }

  @Test func lostEngineEndsCallsThatWaitForATurn() throws {
    let engine = try TestServer { $0.limits.callsPerConnection = 1 }
    let client = try Client(socket: engine.socket)
    let witness = try RawPeer(engine.socket)
    _ = try witness.hello()
    engine.detector.hold()
    let codes = Monitor<[StatusCode]>([])
    let threads = try (0..<4).map { _ in
      try Posix.Thread(name: "caller") {
        let code = code(client)
        codes.withLock { $0.append(code) }
      }
    }
    engine.detector.waitUntilRunning(1)
    CurrentProcess.sleep(for: .milliseconds(20))
    // The engine takes no further call before the running one may end; otherwise another could have its turn
    // first.
    engine.server.stop()
    guard case .goAway = try witness.receiveControl() else {
      Issue.record("the engine does not say that it stops")
      return
    }
    engine.stop()
    for thread in threads { thread.join() }
    // The running call is answered before the engine stops.
    #expect(codes.withLock { $0.count { $0 == .ok } } == 1)
    #expect(codes.withLock { $0.count { $0 == .unavailable } } == 3)
  }
}
