import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

@Suite struct ControlTests {
  // MARK: Hello

  @Test func helloAgreesOnTheCommonFeatures() throws {
    let engine = try TestServer {
      $0.limits.frameCredit = 3
      $0.limits.checksPerUser = 5
    }
    let peer = try RawPeer(engine.socket)
    let request = HelloRequest(
      minVersion: 0, maxVersion: 9, client: "t", features: ["ping", "later", "cancel"])
    try peer.send(try HelloCall.requestFrame(CallHeader(stream: 1), request))
    let frame = try #require(try peer.receive())
    let envelope = try ResponseEnvelope(decoding: frame.body.span)
    let hello = try HelloCall.response(frame.body.span.extracting(envelope.payload))
    #expect(hello.version == 1)
    #expect(hello.engineVersion == "1.2.3")
    #expect(hello.features == [.ping, .cancel])
    #expect(hello.limits.frameCredit == 3)
    #expect(hello.limits.mappedBytesPerUser == 128 << 20)
    #expect(hello.limits.checksPerUser == 5)
    #expect(engine.log.lines.contains { $0.hasPrefix("info hello client=t peer=pid ") })
  }

  @Test func helloIsSaidOnce() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    let status = #expect(throws: Status.self) { try peer.hello() }
    #expect(status?.code == .failedPrecondition)
  }

  @Test(arguments: [(2, 9), (0, 0)] as [(UInt32, UInt32)])
  func helloOfOtherVersionsIsRefused(least: UInt32, most: UInt32) throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    let request = HelloRequest(minVersion: least, maxVersion: most, client: "t", features: [])
    try peer.send(try HelloCall.requestFrame(CallHeader(stream: 1), request))
    #expect(try peer.receiveStatus().failure?.code == .failedPrecondition)
    // Hello may be said again with other versions.
    #expect(try peer.hello().version == 1)
  }

  @Test(
    arguments: [
      .cancel(stream: 7), .ping(1), .pong(1), .register(buffer: 1, size: 1), .unregister(buffer: 1),
    ]
      as [ControlFromClient], [false, true])
  func framesNeedTheirFeature(frame: ControlFromClient, said: Bool) throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    if said { _ = try peer.hello([.credit]) }
    try peer.send(frame.frame)
    let answer = try peer.receiveStatus()
    if case .cancel(let stream) = frame { #expect(answer.stream == stream) }
    #expect(answer.failure?.code == .failedPrecondition)
    try peer.send(try Frames.health(9))
    #expect(try peer.receiveStatus().failure == nil)
  }

  @Test func framesOnlyEnginesSendEndAClient() throws {
    let engine = try TestServer()
    for frame in [
      ControlFromEngine.goAway(lastStream: 1).frame, ControlFromEngine.credit(stream: 3, frames: 1).frame,
      Frames.header(3, 0, type: 0x12) + [1, 2, 3],
      Frames.header(8, 5, type: 0x12) + [UInt8](repeating: 0, count: 8),
    ] {
      let peer = try RawPeer(engine.socket)
      _ = try peer.hello()
      try peer.send(frame)
      #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
      #expect(try peer.receive() == nil)
    }
  }

  @Test func longControlFrameEndsAClient() throws {
    let engine = try TestServer()
    for type in [0x12, 0x15, 0x77] as [UInt8] {
      let peer = try RawPeer(engine.socket)
      _ = try peer.hello()
      try peer.send(Frames.header(64 << 10 | 1, 0, type: type))
      #expect(try peer.receiveStatus().failure?.code == .resourceExhausted)
      #expect(try peer.receive() == nil)
    }
  }

  @Test func pingIsAnsweredBeforeWhatComesLater() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(ControlFromClient.ping(42).frame + Frames.health(3) + ControlFromClient.pong(1).frame)
    #expect(try peer.receiveControl() == .pong(42))
    #expect(try peer.receiveStatus().stream == 3)
  }

  // MARK: Cancel

  @Test func cancelledCallIsForgottenOrItsResultThrownAway() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(try Frames.detect(3, [3]))
    engine.detector.waitUntilRunning(1)
    try peer.send(try Frames.detect(5, [5]))
    for stream in [5, 3] as [UInt32] {
      try peer.send(ControlFromClient.cancel(stream: stream).frame)
      let answer = try peer.receiveStatus()
      #expect(answer.stream == stream)
      #expect(answer.failure?.code == .cancelled)
    }
    // The stream number may be used again: the running call is not taken for its answer.
    try peer.send(try Frames.detect(3, [9]))
    engine.detector.release()
    #expect(try peer.receiveStatus().failure == nil)
    #expect(engine.detector.marks == [3, 9])
    // No further answer comes.
    try peer.send(ControlFromClient.ping(1).frame)
    #expect(try peer.receiveControl() == .pong(1))
  }

  @Test func cancelOfAnUnknownStreamIsIgnored() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(ControlFromClient.cancel(stream: 1).frame + ControlFromClient.cancel(stream: 99).frame)
    try peer.send(ControlFromClient.cancel(stream: 0).frame + ControlFromClient.ping(1).frame)
    #expect(try peer.receiveControl() == .pong(1))
  }

  /// However call and cancellation meet, each call has one answer.
  @Test func cancelRacesGiveOneAnswerPerCall() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    var answers = 0
    for round in 0..<2000 as Range<UInt32> {
      let stream = 2 * round + 3
      try peer.send(try Frames.detect(stream) + ControlFromClient.cancel(stream: stream).frame)
      let answer = try peer.receiveStatus()
      #expect(answer.stream == stream)
      #expect(answer.failure == nil || answer.failure?.code == .cancelled)
      answers += 1
    }
    try peer.send(ControlFromClient.ping(1).frame)
    #expect(try peer.receiveControl() == .pong(1))
    #expect(answers == 2000)
  }

  @Test func callsOpenedAndCancelledInThousandsLeaveTheQueueEmpty() throws {
    let held = try PausedServer()
    let peer = try RawPeer(held.engine.socket)
    _ = try peer.hello()
    for round in 0..<10_000 as Range<UInt32> {
      let stream = 2 * round + 3
      try peer.send(try Frames.detect(stream) + ControlFromClient.cancel(stream: stream).frame)
      let answer = try peer.receiveStatus()
      #expect(answer.failure?.code == .cancelled)
    }
    try held.release()
    held.engine.stop()
    #expect(held.engine.detector.calls == 1)
  }

  // MARK: Going away

  @Test func stopIsAnnouncedToClientsWithGoAway() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(try Frames.detect(5))
    engine.detector.waitUntilRunning(1)
    engine.server.stop()
    #expect(try peer.receiveControl() == .goAway(lastStream: 5))
    try peer.send(try Frames.detect(7))
    let late = try peer.receiveStatus()
    #expect(late.stream == 7)
    #expect(late.failure?.code == .unavailable)
    engine.detector.release()
    #expect(try peer.receiveStatus().failure == nil)
    #expect(try peer.receive() == nil)
  }
}
