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

  @Test(arguments: [(2, 9), (0, 0)] as [(UInt32, UInt32)])
  func helloOfOtherVersionsIsRefused(least: UInt32, most: UInt32) throws {
    let peer = try RawPeer(TestServer())
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
    let peer = try RawPeer(TestServer())
    if said { _ = try peer.hello([.credit]) }
    try peer.send(frame.frame)
    let answer = try peer.receiveStatus()
    if case .cancel(let stream) = frame { #expect(answer.stream == stream) }
    #expect(answer.failure?.code == .failedPrecondition)
    try peer.expectServed(9)
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
}
