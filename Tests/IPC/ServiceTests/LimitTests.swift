import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

@Suite struct LimitTests {
  @Test func processorTimeOfACallIsBounded() throws {
    let engine = try TestServer {
      $0.workers = 1
      $0.limits.processorTimePerCall = .milliseconds(1)
    }
    engine.detector.hold(orCancellation: true)
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1) + Frames.watch(3) + Frames.frame(3, 1))
    let refused = try peer.receiveStatus()
    #expect(refused.stream == 1)
    #expect(refused.failure?.code == .resourceExhausted)
    #expect(refused.failure?.detail == .limit("processor_time_per_call_ns"))
    #expect(try peer.receiveWatch().failure?.code == .resourceExhausted)
    engine.detector.release()
    try peer.send(try Frames.detect(5))
    #expect(try peer.receiveStatus().failure == nil)
  }

  @Test func wrongConfigurationIsRefused() {
    for change in [
      { $0.workers = 0 }, { $0.limits.maxMessageBytes = 0 }, { $0.limits.maxMessageBytes = 5 << 20 },
      { $0.limits.callsPerConnection = 0 }, { $0.limits.frameCredit = 5_000_000_000 },
      { $0.limits.queuedBytes = -1 },
    ] as [(inout ServerConfiguration) -> Void] {
      let status = #expect(throws: Status.self) { _ = try TestServer(change) }
      #expect(status?.code == .invalidArgument)
    }
  }
}
