import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

/// Requests that a stream refuses, and their limits.
@Suite struct StreamRefusalTests {
  @Test(
    arguments: [
      [0x12, 2, 0x08, 1],  // a frame before the start
      [],  // nothing
      [0x0a],  // half a field
      [0x0a, 2, 0x10, 9],  // a mode that does not exist
    ] as [[UInt8]])
  func wrongBeginningEndsTheStream(message: [UInt8]) throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try WatchCall.openFrame(CallHeader(stream: 3)))
    try peer.send(Frames.header(UInt32(message.count), 3, type: 3) + message)
    peer.expectEnd(.invalidArgument)
    // Frames that were on their way are skipped.
    try peer.send(try Frames.frame(3, 1) + StreamEnd.dataFrame(stream: 3) + Frames.health(5))
    #expect(try peer.receiveStatus().stream == 5)
  }

  @Test func wrongDataEndsTheStream() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    let start = try WatchCall.startFrame(stream: 3, WatchStart(options: DetectionOptions(), mode: .newest))
    try peer.send(try Frames.watch(3) + start)
    peer.expectEnd(.invalidArgument)
    try peer.send(try Frames.watch(5) + Frames.header(0, 5, type: 3, flags: 0x80))
    peer.expectEnd(.invalidArgument)
    engine.detector.hold()
    try peer.send(
      try Frames.watch(7) + Frames.frame(7, 1) + StreamEnd.dataFrame(stream: 7) + Frames.frame(7, 2))
    peer.expectEnd(.invalidArgument)
  }

  @Test func tooLongAFrameEndsTheStream() throws {
    let engine = try TestServer { $0.limits.maxMessageBytes = 1000 }
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1, [UInt8](repeating: 1, count: 2000)))
    peer.expectEnd(.resourceExhausted)
    try peer.send(try Frames.health(5))
    #expect(try peer.receiveStatus().stream == 5)
  }

  @Test func methodsAndFlagsMustFit() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    var detect = try Frames.detect(3)
    detect[9] = 2
    try peer.send(detect)
    #expect(try peer.receiveStatus().failure?.code == .unimplemented)
    var watch = try WatchCall.openFrame(CallHeader(stream: 5))
    watch[9] = 0
    try peer.send(watch)
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
  }

  @Test func streamsAreBounded() throws {
    let engine = try TestServer { $0.limits.streamsPerConnection = 2 }
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.watch(5) + Frames.watch(7) + Frames.frame(7, 1))
    let refused = try peer.receiveStatus()
    #expect(refused.stream == 7)
    #expect(refused.failure?.code == .resourceExhausted)
    try peer.send(StreamEnd.dataFrame(stream: 3))
    peer.expectEnd(.ok)
    try peer.send(try Frames.watch(9) + Frames.frame(9, 1))
    #expect(try peer.receiveWatch().frame.number == 1)
  }

  @Test func streamNumberInUseEndsThePeer() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.health(3))
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
    #expect(try peer.receive() == nil)
  }

  @Test(arguments: [false, true])
  func streamNeverReadIsDropped(held: Bool) throws {
    let engine = try TestServer { $0.limits.unreadBytes = 100_000 }
    // When calls are held, the answers wait for the first frame rather than the peer; they count all the
    // same.
    if held { engine.detector.hold() }
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1))
    if held { engine.detector.waitUntilRunning(1) }
    let many = try [UInt8]((0..<1000).flatMap { _ in try Frames.frame(3, 2) })
    var alive = true
    while alive { alive = try peer.send(many) }
    let other = try RawPeer(engine.socket)
    try other.send(try Frames.health(1))
    #expect(try other.receiveStatus().failure == nil)
    #expect(engine.log.lines.contains { $0.contains("unread") })
  }

  @Test func framesThatWaitAreBounded() throws {
    let engine = try TestServer {
      $0.workers = 1
      $0.limits.queuedBytes = 1000
    }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1))
    engine.detector.waitUntilRunning(1)
    try peer.send(try Frames.frame(3, 2, [UInt8](repeating: 1, count: 2000)) + Frames.frame(3, 3))
    engine.detector.release()
    #expect(try peer.receiveWatch().frame.number == 1)
    let refused = try peer.receiveWatch()
    guard case .failed(let status) = refused.outcome else {
      Issue.record("did not fail")
      return
    }
    #expect(status.code == .resourceExhausted)
    #expect(try peer.receiveWatch().frame.number == 3)
  }
}
