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

  /// One call with a distant deadline waits beside it, and a batch that has begun.
  @Test func expiredCallsLeaveTheQueue() throws {
    let held = try PausedServer { $0.limits.queuedCalls = 3 }
    let peer = try RawPeer(held.engine.socket)
    try peer.send(try Frames.detect(1, timeout: 3_600_000_000_000))
    for stream in stride(from: 3 as UInt32, to: 40, by: 2) {
      try peer.send(try Frames.detect(stream, timeout: 1_000_000))
      let answer = try peer.receiveStatus()
      #expect(answer.stream == stream)
      #expect(answer.failure?.code == .deadlineExceeded)
    }
    try held.release()
    let last = try peer.receiveStatus()
    #expect(last.stream == 1 && last.failure == nil)
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
    guard case .failed(let status) = try peer.receiveWatch().outcome else {
      Issue.record("the frame did not fail")
      return
    }
    #expect(status.code == .resourceExhausted)
    engine.detector.release()
    try peer.send(try Frames.detect(5))
    #expect(try peer.receiveStatus().failure == nil)
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

  /// A user may take half of what others leave: there are no others, so half stays free.
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
    // In any order: a call that does not ask for a while is not waited for.
    var answered: Set<UInt32> = []
    for _ in 0..<4 {
      let answer = try peer.receiveStatus()
      #expect(answer.failure == nil)
      answered.insert(answer.stream)
    }
    #expect(answered == [1, 3, 5, 7])
  }

  /// A large message that has begun holds its place until it is complete or its connection is gone; one that
  /// does not fit is read and discarded.
  @Test func messagesThatAreNotWholeAreBounded() throws {
    let engine = try TestServer { $0.limits.incomingBytes = 200_000 }
    let large = try Frames.detect(1, [UInt8](repeating: 1, count: 90_000))
    let slow = try RawPeer(engine.socket)
    try slow.send(Array(large.prefix(100)))
    let peer = try RawPeer(engine.socket)
    // This shows that the engine has read what the slow peer sent.
    var refusal: Status?
    while refusal == nil {
      try peer.send(large)
      refusal = try peer.receiveStatus().failure
    }
    #expect(refusal?.code == .resourceExhausted)
    #expect(refusal?.detail == .limit("incoming_bytes"))
    try peer.send(try Frames.detect(3))
    #expect(try peer.receiveStatus().failure == nil)
    try slow.send(Array(large.dropFirst(100)))
    #expect(try slow.receiveStatus().failure == nil)
    try peer.send(try Frames.detect(5, [UInt8](repeating: 1, count: 90_000)))
    #expect(try peer.receiveStatus().failure == nil)
    // A peer that goes away with its message half sent gives the place back.
    try slow.send(Array(large.prefix(100)))
    slow.close()
    while refusal != nil {
      try peer.send(large)
      refusal = try peer.receiveStatus().failure
    }
  }

  /// The engine's only connection thread may not yet have seen that one, or all, of them are closed.
  @Test(arguments: [1, 2])
  func closedConnectionsDoNotCount(closed: Int) throws {
    let engine = try TestServer { $0.limits.connectionsPerUser = 2 }
    var peers: [RawPeer] = []
    for _ in 0..<100 {
      while peers.count < 2 {
        peers.append(try RawPeer(engine.socket))
        try peers.last?.send(try Frames.health(1))
        #expect(try peers.last?.receiveStatus().failure == nil)
      }
      for _ in 0..<closed { peers.removeFirst().close() }
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
    // A freed place can be taken.
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
    let engine = try TestServer { $0.limits.firstFrameTimeout = .milliseconds(1) }
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
