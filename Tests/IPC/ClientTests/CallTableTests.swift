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
@Suite struct CallTableTests {
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
}
