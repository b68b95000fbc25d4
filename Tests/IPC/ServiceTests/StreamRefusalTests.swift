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
    let peer = try RawPeer(TestServer())
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
    try peer.expectServed(5)
  }

  @Test func methodsAndFlagsMustFit() throws {
    let peer = try RawPeer(TestServer())
    var detect = try Frames.detect(3)
    detect[9] = 2
    try peer.send(detect)
    #expect(try peer.receiveStatus().failure?.code == .unimplemented)
    var watch = try WatchCall.openFrame(CallHeader(stream: 5))
    watch[9] = 0
    try peer.send(watch)
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
  }
}
