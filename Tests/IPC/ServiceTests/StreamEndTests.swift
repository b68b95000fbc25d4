import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

/// Streams that end before their frames do.
@Suite struct StreamEndTests {
  @Test func cancelEndsTheStreamAndItsWork() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(try Frames.watch(3, .every))
    #expect(try peer.receiveControl() == .credit(stream: 3, frames: 4))
    for id in 1...3 as ClosedRange<UInt64> { try peer.send(try Frames.frame(3, id, [UInt8(id)])) }
    engine.detector.waitUntilRunning(1)
    try peer.send(ControlFromClient.cancel(stream: 3).frame + Frames.frame(3, 4))
    peer.expectEnd(.cancelled)
    // The stream number is used again, and the running frame is not taken for its own.
    try peer.send(try Frames.watch(3) + Frames.frame(3, 9, [9]))
    engine.detector.release()
    #expect(try peer.receiveWatch().frame.number == 9)
    engine.stop()
    #expect(engine.detector.marks == [1, 9])
  }

  @Test func stopAnswersWhatItHasAndEndsStreams() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(try Frames.watch(5))
    try peer.send(try Frames.watch(3, .every))
    #expect(try peer.receiveControl() == .credit(stream: 3, frames: 4))
    try peer.send(try Frames.frame(3, 1) + Frames.frame(3, 2))
    engine.detector.waitUntilRunning(1)
    try peer.send(ControlFromClient.ping(1).frame)
    #expect(try peer.receiveControl() == .pong(1))
    engine.server.stop()
    #expect(try peer.receiveControl() == .goAway(lastStream: 5))
    // The idle stream ends at once.
    peer.expectEnd(.unavailable)
    try peer.send(try Frames.frame(3, 3) + ControlFromClient.ping(2).frame)
    #expect(try peer.receiveControl() == .pong(2))
    engine.detector.release()
    #expect(try peer.receiveWatch().frame.number == 1)
    #expect(try peer.receiveWatch().frame.number == 2)
    peer.expectEnd(.unavailable)
    #expect(try peer.receive() == nil)
    #expect(engine.stop() == nil)
  }
}
