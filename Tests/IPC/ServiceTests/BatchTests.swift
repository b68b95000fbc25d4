import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

@Suite struct BatchTests {
  private func batch(_ stream: UInt32, _ files: [[UInt8]], timeout: TimeSpan = .zero) throws -> [UInt8] {
    let pool = files.map { file in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: file.count, alignment: 1)
      copy.copyBytes(from: file)
      return copy
    }
    defer { for copy in pool { copy.deallocate() } }
    return try DetectBatchCall.requestFrame(
      CallHeader(stream: stream, timeout: timeout),
      pool.map { MessageImage(.encoded(UnsafeRawBufferPointer($0))) }, DetectionOptions())
  }

  private func receive(_ peer: RawPeer) throws -> [ImageOutcome] {
    let frame = try #require(try peer.receive())
    let envelope = try ResponseEnvelope(decoding: frame.body.span)
    if let failure = envelope.failure { throw failure }
    return try DetectBatchCall.response(frame.body.span.extracting(envelope.payload))
  }

  @Test func resultsAreInOrderAndOneFailsAlone() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try batch(1, [[1], [UInt8]("bad".utf8), [], [2, 2]]))
    let outcomes = try receive(peer)
    #expect(outcomes.count == 4)
    #expect(try outcomes[0].get().faces[0].box.x == 1)
    #expect(throws: Status.self) { try outcomes[1].get() }
    #expect(throws: Status.self) { try outcomes[2].get() }
    #expect(try outcomes[3].get().imageSize.width == 2)
  }

  @Test func emptyBatchHasNoResults() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try batch(1, []))
    #expect(try receive(peer).isEmpty)
  }

  @Test func imagesAreBounded() throws {
    let engine = try TestServer { $0.limits.batchImages = 2 }
    let peer = try RawPeer(engine.socket)
    try peer.send(try batch(1, [[1], [1], [1]]))
    #expect(try peer.receiveStatus().failure?.code == .resourceExhausted)
    #expect(engine.detector.calls == 0)
    try peer.send(try batch(3, [[1], [1]]))
    #expect(try receive(peer).count == 2)
  }

  @Test func batchWithAPassedDeadlineIsNotStarted() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try batch(1, [[1], [2]], timeout: -1))
    #expect(try peer.receiveStatus().failure?.code == .deadlineExceeded)
    #expect(engine.detector.calls == 0)
  }

  /// The images that were searched are answered and the rest are reported late, though no worker has time for
  /// them.
  @Test func deadlineBetweenTwoImagesIsAnsweredAtOnce() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let (peer, other) = (try RawPeer(engine.socket), try RawPeer(engine.socket))
    try peer.send(try batch(1, [[1], [2]], timeout: 100_000_000))
    engine.detector.waitUntilRunning(1)
    try other.send(try Frames.detect(1, [3]))
    try other.send(try Frames.health(3))
    #expect(try other.receiveStatus().stream == 3)
    engine.detector.letOneGo()
    engine.detector.waitUntilCalled(2)
    let outcomes = try receive(peer)
    #expect(outcomes.count == 2)
    #expect(throws: Never.self) { try outcomes.first?.get() }
    #expect(failure { () throws(Status) in _ = try outcomes.last?.get() }?.code == .deadlineExceeded)
    engine.detector.release()
    #expect(try other.receiveStatus().failure == nil)
    #expect(engine.detector.marks == [1, 3])
  }

  @Test func cancelledBatchStopsAtTheNextImage() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(try batch(3, [[1], [2], [3]]))
    engine.detector.waitUntilRunning(1)
    try peer.send(ControlFromClient.cancel(stream: 3).frame)
    #expect(try peer.receiveStatus().failure?.code == .cancelled)
    engine.detector.release()
    try peer.send(try Frames.detect(5, [9]))
    #expect(try peer.receiveStatus().stream == 5)
    engine.stop()
    #expect(engine.detector.marks == [1, 9])
  }
}

@Suite struct FairnessTests {
  /// One user has three connections: one with a batch, one with many calls, one with a single call. The
  /// worker takes them in turn.
  @Test func turnsGoRoundConnections() throws {
    let held = try PausedServer()
    let engine = held.engine

    let greedy = try RawPeer(engine.socket)
    for stream in 0..<4 as Range<UInt32> { try greedy.send(try Frames.detect(2 * stream + 1, [1])) }
    try settle(greedy)
    let batches = try RawPeer(engine.socket)
    let file: [UInt8] = [2]
    try batches.send(
      try file.withUnsafeBytes { bytes in
        try DetectBatchCall.requestFrame(
          CallHeader(stream: 1), [MessageImage](repeating: MessageImage(.encoded(bytes)), count: 3),
          DetectionOptions())
      })
    try settle(batches)
    let modest = try RawPeer(engine.socket)
    try modest.send(try Frames.detect(1, [3]))
    try settle(modest)

    try held.release()
    #expect(try modest.receiveStatus().failure == nil)
    #expect(try batches.receiveStatus().failure == nil)
    for _ in 0..<4 { #expect(try greedy.receiveStatus().failure == nil) }
    #expect(engine.detector.marks == [99, 1, 2, 3, 1, 2, 1, 2, 1])
  }

  /// On one connection a continuous stream and single calls take turns.
  @Test func turnsGoRoundStreams() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1, [99]))
    engine.detector.waitUntilRunning(1)
    let watch = try RawPeer(engine.socket)
    _ = try watch.hello()
    try watch.send(try Frames.watch(3, .every))
    #expect(try watch.receiveControl() == .credit(stream: 3, frames: 4))
    for id in 1...4 as ClosedRange<UInt64> { try watch.send(try Frames.frame(3, id, [1])) }
    for stream in [5, 7, 9] as [UInt32] { try watch.send(try Frames.detect(stream, [2])) }
    try settle(watch)
    engine.detector.release()
    for _ in 0..<7 { _ = try watch.receive() }
    // The stream's next frame joins the round when the previous one was answered.
    #expect(engine.detector.marks.prefix(3) == [99, 1, 2])
    #expect(engine.detector.marks.count == 8)
  }

  /// Returns when the engine has read everything that `peer` sent.
  private func settle(_ peer: RawPeer) throws {
    try peer.send(try Frames.health(1001))
    #expect(try peer.receiveStatus().stream == 1001)
  }
}
