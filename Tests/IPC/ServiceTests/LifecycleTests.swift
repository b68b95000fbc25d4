import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

@Suite struct LifecycleTests {
  /// Neither calls whose callers wait nor those that were given up hold a stopping engine past its time.
  @Test(arguments: [false, true])
  func stopDoesNotWaitForEverForACall(isAbandoned: Bool) throws {
    let held = try PausedServer { $0.drainTimeout = .milliseconds(1) }
    let peer = try RawPeer(held.engine.socket)
    if isAbandoned { try held.abandon() }
    held.engine.server.stop()
    #expect(held.engine.wait() == nil)
    #expect(held.engine.answeredAll == false)
    #expect(held.engine.log.lines.contains { $0.contains("stopped") && $0.contains("busy_workers=1") })
    #expect(try peer.receive() == nil)
  }

  @Test func serverRunsOnlyOnce() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.expectServed(1)
    let status = #expect(throws: Status.self) { try engine.server.run() }
    #expect(status?.code == .failedPrecondition)
  }

  /// Calls and streams are answered as far as they were sent, then the connection ends; a watch of health
  /// lasts as long as the peer reads.
  @Test func peerThatSendsNoMoreIsAnswered() throws {
    let held = try PausedServer()
    let peer = try RawPeer(held.engine.socket)
    try peer.send(
      try Frames.detect(1, [1]) + Frames.watch(3) + Frames.frame(3, 1, [2]) + Frames.detect(5, [3]))
    try peer.finishWriting()
    try held.release()
    var ended: Set<UInt32> = []
    var frames = 0
    while let frame = try peer.receive() {
      if frame.header.type == FrameType.data.rawValue {
        frames += 1
      } else {
        ended.insert(frame.header.stream)
      }
    }
    #expect(ended == [1, 3, 5] && frames == 1)
    #expect(held.engine.stop() == nil)
    #expect(Set(held.engine.detector.marks) == [99, 1, 2, 3])
  }
}
