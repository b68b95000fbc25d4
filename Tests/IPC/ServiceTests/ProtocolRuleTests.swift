import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

/// The rules of PROTOCOL.md for peers that do something unusual.
@Suite struct ProtocolRuleTests {
  private static func data(_ stream: UInt32, _ bytes: [UInt8], flags: UInt8 = 0) -> [UInt8] {
    Frames.header(UInt32(bytes.count), stream, type: 3, flags: flags) + bytes
  }

  @Test func dataForAStreamThatWasNeverOpenedIsRefused() throws {
    let peer = try RawPeer(TestServer())
    try peer.send(try Frames.frame(7, 1))
    let refused = try peer.receiveStatus()
    #expect(refused.stream == 7 && refused.failure?.code == .invalidArgument)
    try peer.expectServed()
  }

  @Test func emptyDataIsAWrongMessage() throws {
    let peer = try RawPeer(TestServer())
    try peer.send(try Frames.watch(3) + Self.data(3, []))
    peer.expectEnd(.invalidArgument)
    try peer.expectServed()
  }

  @Test func bytesOfAFrameFlaggedNoDataAreSkipped() throws {
    let peer = try RawPeer(TestServer())
    try peer.send(try Frames.watch(3) + Self.data(3, [1, 2, 3], flags: 4) + Frames.frame(3, 1))
    #expect(try peer.receiveWatch().frame.number == 1)
    try peer.send(Self.data(3, [9], flags: 5))
    peer.expectEnd(.ok)
  }

  /// In control frames flags are ignored.
  @Test func unknownFlagsAreRefusedInMessages() throws {
    let peer = try RawPeer(TestServer())
    _ = try peer.hello()
    try peer.send(Frames.header(8, 0, type: 0x12, flags: 0x80) + [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(try peer.receiveControl() == .pong(0x0102_0304_0506_0708))
    try peer.send(Frames.header(0, 3, type: 1, flags: 0x80))
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
    try peer.send(try Frames.watch(5) + Self.data(5, [], flags: 0x84))
    peer.expectEnd(.invalidArgument)
    try peer.expectServed()
  }

  @Test func streamWithAPayloadIsRefused() throws {
    let peer = try RawPeer(TestServer())
    var request = try WatchCall.openFrame(CallHeader(stream: 3))
    // ttrpc.Request.payload, one byte.
    request += [0x1a, 1, 0]
    request[3] += 3
    try peer.send(request)
    let refused = try peer.receiveStatus()
    #expect(refused.stream == 3 && refused.failure?.code == .invalidArgument)
  }

  @Test func missingImageIsNamedForPrograms() throws {
    let peer = try RawPeer(TestServer())
    let (service, method) = (Array("faceengine.v1.Detector".utf8), Array("Detect".utf8))
    let body = [0x0a, UInt8(service.count)] + service + [0x12, UInt8(method.count)] + method
    let request = Frames.header(UInt32(body.count), 3) + body
    try peer.send(request)
    let refused = try peer.receiveStatus()
    #expect(refused.failure?.code == .invalidArgument)
    #expect(refused.failure?.detail == .field("image"))
  }
}
