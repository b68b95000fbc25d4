import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

@Suite struct CallTests {
  @Test(
    arguments: [
      // half a field; an envelope whose payload is no DetectRequest; a service and a method that do not exist
      ([0x0a], .invalidArgument, "envelope"),
      (
        [0x0a, 22] + [UInt8]("faceengine.v1.Detector".utf8) + [0x12, 6] + [UInt8]("Detect".utf8) + [
          0x1a, 1, 0x0a,
        ],
        .invalidArgument, "DetectRequest"
      ),
      (
        [0x0a, 22] + [UInt8]("faceengine.v1.Detector".utf8) + [0x12, 4] + [UInt8]("Nope".utf8),
        .unimplemented,
        "Detect"
      ),
      ([0x0a, 1, 0x78], .unimplemented, "faceengine.v1.Detector"),
      ([], .unimplemented, "faceengine.v1.Detector"),
    ] as [([UInt8], StatusCode, String)])
  func wrongRequestsAreRefused(body: [UInt8], code: StatusCode, hint: String) throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(Frames.header(UInt32(body.count), 5) + body)
    let answer = try peer.receiveStatus()
    #expect(answer.stream == 5)
    #expect(answer.failure?.code == code)
    #expect(answer.failure?.message.contains(hint) == true)
    try peer.expectServed()
    #expect(engine.detector.calls == 0)
  }

  @Test(
    arguments: [
      (2, 1, 0, .invalidArgument),  // an even stream
      (0, 1, 0, .invalidArgument),  // the connection's own
      (5, 1, 2, .invalidArgument),  // a stream whose envelope is wrong
      (5, 1, 0x80, .invalidArgument),  // a flag that does not exist
      (5, 3, 0, .invalidArgument),  // data without a stream
      (5, 0x77, 0, .unimplemented),  // a type that does not exist
    ] as [(UInt32, UInt8, UInt8, StatusCode)])
  func wrongHeadersAreRefused(stream: UInt32, type: UInt8, flags: UInt8, code: StatusCode) throws {
    let peer = try RawPeer(TestServer())
    try peer.send(Frames.header(3, stream, type: type, flags: flags) + [1, 2, 3])
    let answer = try peer.receiveStatus()
    #expect(answer.stream == stream)
    #expect(answer.failure?.code == code)
    try peer.expectServed()
  }

  @Test func requestThatClosesItsSideIsServed() throws {
    let peer = try RawPeer(TestServer())
    var frame = try Frames.detect(1)
    frame[9] = 1
    try peer.send(frame)
    #expect(try peer.receiveStatus().failure == nil)
  }

  @Test func responseFromAClientEndsItsConnection() throws {
    let peer = try RawPeer(TestServer())
    try peer.send(Frames.header(0, 5, type: 2))
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
    #expect(try peer.receive() == nil)
  }

  @Test func streamInUseEndsThePeer() throws {
    let engine = try TestServer()
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1) + Frames.detect(1))
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
    #expect(try peer.receive() == nil)
    try RawPeer(engine.socket).expectServed()
  }

  @Test func oversizedMessageIsRefusedAndTheNextServed() throws {
    let engine = try TestServer { $0.limits.maxMessageBytes = 1000 }
    let peer = try RawPeer(engine.socket)
    try peer.send(Frames.header(5000, 5) + [UInt8](repeating: 1, count: 5000))
    let answer = try peer.receiveStatus()
    #expect(answer.failure?.code == .resourceExhausted)
    #expect(answer.failure?.message.contains("1000") == true)
    // What is too long may be a JPEG already.
    #expect(answer.failure?.message.contains("JPEG") == false)
    #expect(answer.failure?.message.contains("put the images into shared memory") == true)
    try peer.expectServed()
  }

  @Test func implausibleLengthIsRefusedAndThePeerClosed() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(Frames.header(0xffff_ffff, 5) + [UInt8](repeating: 1, count: 5000))
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
    #expect(throws: Never.self) { while try peer.receive() != nil {} }
    try RawPeer(engine.socket).expectServed()
  }

  @Test func headersOfLargeMessagesReserveNoMemory() throws {
    let engine = try TestServer { $0.limits.connectionsPerUser = 500 }
    var peers: [RawPeer] = []
    for _ in 0..<200 {
      let peer = try RawPeer(engine.socket)
      try peer.send(Frames.header(4 << 20, 1))
      peers.append(peer)
    }
    try RawPeer(engine.socket).expectServed()
    #expect(peers.count == 200)
  }

  @Test func largestMessageIsServed() throws {
    let peer = try RawPeer(TestServer())
    let file = [UInt8](repeating: 3, count: (4 << 20) - 200)
    try peer.send(try Frames.detect(1, file))
    let frame = try #require(try peer.receive())
    let envelope = try ResponseEnvelope(decoding: frame.body.span)
    let result = try DetectCall.response(frame.body.span.extracting(envelope.payload))
    #expect(result.imageSize.width == file.count)
  }

  @Test func imageRefusedByTheDetectorIsReportedAndLogged() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1, [UInt8]("bad image".utf8)))
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
    try peer.expectServed()
    #expect(engine.log.lines.contains { $0.contains("INVALID_ARGUMENT") && $0.contains("Detector/Detect") })
  }

  @Test func healthReportsServingAndUnknownServices() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    func check(_ service: String) throws -> ServingStatus? {
      try peer.send(try HealthCall.requestFrame(CallHeader(stream: 1), service))
      guard let frame = try peer.receive() else { return nil }
      let envelope = try ResponseEnvelope(decoding: frame.body.span)
      if let failure = envelope.failure { throw failure }
      return try HealthCall.response(frame.body.span.extracting(envelope.payload))
    }
    #expect(try check("") == .serving)
    #expect(try check("faceengine.v1.Detector") == .serving)
    let unknown = #expect(throws: Status.self) { _ = try check("nope") }
    #expect(unknown?.code == .notFound)
    engine.detector.unload()
    #expect(try check("") == .notServing)
  }
}
