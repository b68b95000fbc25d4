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

  enum End: CaseIterable { case cancel, disconnect, deadline }

  @Test(arguments: End.allCases, [false, true])
  func workEndsWhenNobodyWaitsForIt(end: End, isFrame: Bool) throws {
    let engine = try heldEngine()
    let (peer, other) = (try RawPeer(engine.socket), try RawPeer(engine.socket))
    _ = try peer.hello()
    let timeout: Int64 = end == .deadline ? 30_000_000 : 0
    try peer.send(
      isFrame
        ? try Frames.watch(3) + Frames.frame(3, 1, [3], timeout: UInt64(timeout))
        : try Frames.detect(3, [3], timeout: .nanoseconds(timeout)))
    if end != .deadline { engine.detector.waitUntilCalled(1) }
    switch end {
    case .cancel:
      try peer.send(ControlFromClient.cancel(stream: 3).frame)
      #expect(try peer.receiveStatus().failure?.code == .cancelled)
    case .disconnect: peer.close()
    case .deadline where isFrame: #expect(try peer.receiveWatch().failure?.code == .deadlineExceeded)
    case .deadline: #expect(try peer.receiveStatus().failure?.code == .deadlineExceeded)
    }
    try expectBegins(other, 1, 5, engine)
    // It may begin too late for its deadline.
    #expect(engine.detector.marks == engine.detector.ended + [5])
    #expect(end == .deadline || engine.detector.ended == [3])
    guard end == .deadline, isFrame else { return }
    try peer.send(try Frames.frame(3, 2, [5]))
    #expect(try peer.receiveWatch().result != nil)
  }
}
