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
  @Test(arguments: [10, 300_000])
  func everyCallerHasItsTurn(size: Int) throws {
    let served = try Served { $0.limits.callsPerConnection = 2 }
    let codes = Monitor<[StatusCode: Int]>([:])
    try concurrently(20) { caller in
      for round in 0..<20 {
        let code = served.client.code(size + caller * 20 + round)
        codes.withLock { $0[code, default: 0] += 1 }
      }
    }
    #expect(codes.withLock { $0 } == [.ok: 400])
    #expect(served.detector.calls == 400)
  }

  @Test func waitForATurnEndsAtTheDeadlineOrTheCancel() throws {
    let served = try Served { $0.limits.callsPerConnection = 1 }
    served.detector.hold()
    let first = try Posix.Thread(name: "first") { #expect(served.client.code() == .ok) }
    served.detector.waitUntilRunning(1)
    #expect(served.client.code(timeout: 20_000_000) == .deadlineExceeded)
    let canceller = Canceller()
    let second = try Posix.Thread(name: "second") {
      #expect(served.client.code(canceller: canceller) == .cancelled)
    }
    #expect(comeToWait("second"))
    canceller.cancel()
    second.join()
    // Calls that the engine answers at once need no turn.
    #expect(try served.client.health() == .serving)
    #expect(try served.client.info().version == "1.2.3")
    served.detector.release()
    first.join()
    #expect(served.client.code() == .ok)
    #expect(served.detector.calls == 2)
  }

  /// Answers to calls that were given up make room, though no caller waits for them.
  @Test func lateCallsGiveTheirPlacesBack() throws {
    let served = try Served { ($0.limits.callsPerConnection, $0.workers) = (2, 1) }
    for _ in 0..<3 {
      served.detector.hold()
      try concurrently(4) { _ in #expect(served.client.code(timeout: 20_000_000) == .deadlineExceeded) }
      served.detector.release()
      #expect(served.client.code() == .ok)
    }
  }

  @Test func lostEngineEndsCallsThatWaitForATurn() throws {
    let served = try Served { $0.limits.callsPerConnection = 1 }
    let witness = try RawPeer(served.engine.socket)
    _ = try witness.hello()
    served.detector.hold()
    let codes = Monitor<[StatusCode]>([])
    let threads = try (0..<4).map { _ in
      try Posix.Thread(name: "waiting") {
        let code = served.client.code()
        codes.withLock { $0.append(code) }
      }
    }
    served.detector.waitUntilRunning(1)
    #expect(comeToWait("waiting", 4))
    // The engine takes no further call before the running one may end; otherwise another could have its turn
    // first.
    served.engine.server.stop()
    guard case .goAway = try witness.receiveControl() else {
      Issue.record("the engine does not say that it stops")
      return
    }
    served.engine.stop()
    for thread in threads { thread.join() }
    // The running call is answered before the engine stops.
    #expect(codes.withLock { $0.count { $0 == .ok } } == 1)
    #expect(codes.withLock { $0.count { $0 == .unavailable } } == 3)
  }
}
