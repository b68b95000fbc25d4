import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

/// Running work ends at its next stage once no caller waits for it. With one worker, the next call is served
/// only then.
@Suite struct CancellationTests {
  private func heldEngine() throws -> TestServer {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold(orCancellation: true)
    return engine
  }

  /// Waits until the call with that mark is inside, which requires that the previous one is not.
  private func expectBegins(_ peer: RawPeer, _ stream: UInt32, _ mark: UInt8, _ engine: TestServer) throws {
    let calls = engine.detector.calls
    try peer.send(try Frames.detect(stream, [mark]))
    engine.detector.waitUntilCalled(calls + 1)
    #expect(engine.detector.marks.last == mark)
    engine.detector.release()
    let answer = try peer.receiveStatus()
    #expect(answer.stream == stream)
    #expect(answer.failure == nil)
  }

  @Test func cancelEndsACallThatRuns() throws {
    let engine = try heldEngine()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(try Frames.detect(3, [3]))
    engine.detector.waitUntilCalled(1)
    try peer.send(ControlFromClient.cancel(stream: 3).frame)
    #expect(try peer.receiveStatus().failure?.code == .cancelled)
    try expectBegins(peer, 5, 5, engine)
    #expect(engine.detector.ended == [3])
  }

  @Test(arguments: [false, true])
  func peerThatDisconnectsEndsItsRunningWork(stream: Bool) throws {
    let engine = try heldEngine()
    let other = try RawPeer(engine.socket)
    let peer = try RawPeer(engine.socket)
    try peer.send(stream ? Frames.watch(3) + Frames.frame(3, 1, [3]) : Frames.detect(3, [3]))
    engine.detector.waitUntilCalled(1)
    peer.close()
    try expectBegins(other, 1, 5, engine)
    #expect(engine.detector.ended == [3])
  }

  @Test func cancelEndsTheFrameOfAStream() throws {
    let engine = try heldEngine()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1, [3]))
    engine.detector.waitUntilCalled(1)
    try peer.send(ControlFromClient.cancel(stream: 3).frame)
    peer.expectEnd(.cancelled)
    try expectBegins(peer, 5, 5, engine)
    #expect(engine.detector.ended == [3])
  }

  /// However late the call begins, if it does, its deadline passes while it runs.
  @Test func deadlineEndsACallThatRuns() throws {
    let engine = try heldEngine()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1, [3], timeout: 30_000_000))
    #expect(try peer.receiveStatus().failure?.code == .deadlineExceeded)
    #expect(engine.detector.ended == engine.detector.marks)
    try expectBegins(peer, 3, 5, engine)
  }

  @Test func deadlineEndsAFrameAndNotItsStream() throws {
    let engine = try heldEngine()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1, [3], timeout: 30_000_000))
    guard case .failed(let status) = try peer.receiveWatch().outcome else {
      Issue.record("did not fail")
      return
    }
    #expect(status.code == .deadlineExceeded)
    engine.detector.release()
    try peer.send(try Frames.frame(3, 2, [5]))
    guard case .faces = try peer.receiveWatch().outcome else {
      Issue.record("did not go on")
      return
    }
  }
}
