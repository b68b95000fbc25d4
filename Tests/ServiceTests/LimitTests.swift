import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

@Suite struct LimitTests {
  @Test func deadlineThatPassesInTheQueueNeverReachesTheDetector() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1))
    engine.detector.waitUntilRunning(1)
    try peer.send(try Frames.detect(3, timeout: 1))
    try peer.send(try Frames.detect(5, timeout: -1))
    // Answered after the calls were queued, so the worker finds them there.
    try peer.send(try Frames.health(7))
    #expect(try peer.receiveStatus().stream == 7)
    engine.detector.release()
    let answers = [try peer.receiveStatus(), try peer.receiveStatus(), try peer.receiveStatus()]
    #expect(answers.map(\.stream) == [1, 3, 5])
    #expect(answers.map(\.failure?.code) == [nil, .deadlineExceeded, .deadlineExceeded])
    #expect(engine.detector.calls == 1)
  }

  @Test func callsInFlightAreBounded() throws {
    let engine = try TestServer { $0.limits.callsPerConnection = 2 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    for stream in [1, 3, 5] as [UInt32] { try peer.send(try Frames.detect(stream)) }
    let refused = try peer.receiveStatus()
    #expect(refused.stream == 5)
    #expect(refused.failure?.code == .resourceExhausted)
    #expect(refused.failure?.detail == .limit("calls_per_connection"))
    engine.detector.release()
    #expect(try peer.receiveStatus().failure == nil)
    #expect(try peer.receiveStatus().failure == nil)
    try peer.send(try Frames.detect(7))
    #expect(try peer.receiveStatus().failure == nil)
  }

  @Test func queueIsBounded() throws {
    let engine = try TestServer {
      $0.workers = 1
      $0.limits.queuedBytes = 1000
    }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1))
    engine.detector.waitUntilRunning(1)
    try peer.send(try Frames.detect(3, [UInt8](repeating: 1, count: 2000)))
    let refused = try peer.receiveStatus()
    #expect(refused.stream == 3)
    #expect(refused.failure?.code == .resourceExhausted)
    #expect(refused.failure?.detail == .limit("queued_bytes"))
  }

  /// Half of what others leave: no other is here, so that half of it stays free.
  @Test func oneUserLeavesRoomInTheQueue() throws {
    let engine = try TestServer {
      $0.workers = 1
      $0.limits.queuedCalls = 6
    }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1))
    engine.detector.waitUntilRunning(1)
    for stream in [3, 5, 7, 9] as [UInt32] { try peer.send(try Frames.detect(stream)) }
    let refused = try peer.receiveStatus()
    #expect(refused.stream == 9)
    #expect(refused.failure?.detail == .limit("queued_calls"))
    engine.detector.release()
    for stream in [1, 3, 5, 7] as [UInt32] {
      let answer = try peer.receiveStatus()
      #expect(answer.stream == stream)
      #expect(answer.failure == nil)
    }
  }

  @Test func connectionsOfAUserAreBounded() throws {
    let engine = try TestServer { $0.limits.connectionsPerUser = 2 }
    var peers = [try RawPeer(engine.socket), try RawPeer(engine.socket)]
    for (index, peer) in peers.enumerated() {
      try peer.send(try Frames.health(UInt32(2 * index + 1)))
      #expect(try peer.receiveStatus().failure == nil)
    }
    let third = try RawPeer(engine.socket)
    try third.send(try Frames.health(1))
    #expect(try third.receiveStatus().failure?.code == .resourceExhausted)
    #expect(try third.receive() == nil)
    // A place that is given up can be taken.
    peers.removeLast().close()
    var served = false
    for _ in 0..<1000 where !served {
      let peer = try RawPeer(engine.socket)
      try peer.send(try Frames.health(1))
      served = try peer.receiveStatus().failure == nil
    }
    #expect(served)
  }

  @Test func silentPeerIsClosed() throws {
    let engine = try TestServer { $0.limits.firstFrameTimeout = 1_000_000 }
    let peer = try RawPeer(engine.socket)
    try peer.send([0, 0, 0])
    #expect(try peer.receive() == nil)
  }

  @Test func peerThatDoesNotReadIsDropped() throws {
    let engine = try TestServer { $0.limits.unreadBytes = 100_000 }
    let peer = try RawPeer(engine.socket)
    let frame = Frames.header(1, 5) + [0x0a]
    let many = [UInt8]((0..<2000).flatMap { _ in frame })
    var alive = true
    while alive { alive = try peer.send(many) }
    #expect(!alive)
    let other = try RawPeer(engine.socket)
    try other.send(try Frames.health(1))
    #expect(try other.receiveStatus().failure == nil)
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
