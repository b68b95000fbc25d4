import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

@Suite struct LimitTests {
  /// The call is answered when its deadline passes, not when a worker would have had time.
  @Test func deadlineThatPassesInTheQueueNeverReachesTheDetector() throws {
    let held = try PausedServer()
    let peer = try RawPeer(held.engine.socket)
    for (stream, timeout) in [(3, 1), (5, -1), (7, 20_000_000)] as [(UInt32, TimeSpan)] {
      try peer.send(try Frames.detect(stream, timeout: timeout))
      let answer = try peer.receiveStatus()
      #expect(answer.stream == stream)
      #expect(answer.failure?.code == .deadlineExceeded)
    }
    try held.release()
    held.engine.stop()
    #expect(held.engine.detector.marks == [99])
  }

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

  @Test func peerThatDoesNotReadIsDropped() throws {
    let engine = try TestServer { $0.limits.unreadBytes = 100_000 }
    let peer = try RawPeer(engine.socket)
    let frame = Frames.header(1, 5) + [0x0a]
    let many = [UInt8]((0..<2000).flatMap { _ in frame })
    var alive = true
    while alive { alive = try peer.send(many) }
    #expect(!alive)
    try RawPeer(engine.socket).expectServed()
    #expect(engine.log.lines.contains { $0.contains("unread") })
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
