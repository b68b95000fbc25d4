import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

extension Frames {
  /// Opens a stream and begins it.
  static func watch(_ stream: UInt32, _ mode: WatchMode = .newest, timeout: Int64 = 0) throws -> [UInt8] {
    try WatchCall.openFrame(CallHeader(stream: stream, timeout: timeout))
      + WatchCall.startFrame(stream: stream, WatchStart(options: DetectionOptions(), mode: mode))
  }

  static func frame(
    _ stream: UInt32, _ id: UInt64, _ file: [UInt8] = [7], timeout: UInt64 = 0
  ) throws -> [UInt8] {
    try file.withUnsafeBytes { bytes in
      try WatchCall.requestFrame(
        stream: stream, FrameTag(id: id, timestamp: id * 10), MessageImage(.encoded(bytes)), timeout: timeout)
    }
  }
}

@Suite struct StreamTests {
  private func expectEnd(
    _ peer: RawPeer, _ code: StatusCode, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let end = #expect(throws: Status.self, sourceLocation: sourceLocation) { _ = try peer.receiveWatch() }
    #expect(end?.code == code, sourceLocation: sourceLocation)
  }

  @Test func framesAreAnsweredAndTheStreamEnds() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3))
    for id in 1...20 as ClosedRange<UInt64> {
      try peer.send(try Frames.frame(3, id, [UInt8](repeating: 7, count: Int(id))))
      let answer = try peer.receiveWatch()
      #expect(answer.tag == FrameTag(id: id, timestamp: id * 10))
      guard case .result(let result) = answer.outcome else {
        Issue.record("no result")
        return
      }
      #expect(result.imageSize.width == Int(id))
    }
    try peer.send(StreamEnd.dataFrame(stream: 3))
    expectEnd(peer, .ok)
    try peer.send(try Frames.health(5))
    #expect(try peer.receiveStatus().failure == nil)
  }

  @Test func newestFrameWinsAndEachIsAnsweredOnceInOrder() throws {
    let engine = try TestServer { $0.workers = 2 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1, [1]))
    engine.detector.waitUntilRunning(1)
    for id in 2...100 as ClosedRange<UInt64> { try peer.send(try Frames.frame(3, id, [UInt8(id)])) }
    try peer.send(ControlFromClient.ping(1).frame)
    #expect(try peer.receiveControl() == .pong(1))
    engine.detector.release()
    for id in 1...100 as ClosedRange<UInt64> {
      let answer = try peer.receiveWatch()
      #expect(answer.tag.id == id)
      switch answer.outcome {
      case .result: #expect(id == 1 || id == 100)
      case .dropped(let total): #expect(total == id - 1)
      case .failure: Issue.record("failed")
      }
    }
    #expect(engine.detector.marks == [1, 100])
  }

  /// A frame that no worker has begun is replaced even though it left its stream.
  @Test func newestFrameWinsInTheWorkersQueueToo() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let holder = try RawPeer(engine.socket)
    try holder.send(try Frames.detect(1, [99]))
    engine.detector.waitUntilRunning(1)
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3))
    for id in 1...5 as ClosedRange<UInt64> { try peer.send(try Frames.frame(3, id, [UInt8(id)])) }
    for id in 1...4 as ClosedRange<UInt64> {
      let answer = try peer.receiveWatch()
      #expect(answer.tag.id == id)
      #expect(answer.outcome == .dropped(total: id))
    }
    engine.detector.release()
    #expect(try peer.receiveWatch().tag.id == 5)
    #expect(engine.detector.marks == [99, 5])
  }

  @Test func everyFrameIsServedWithinItsCredit() throws {
    let engine = try TestServer { $0.limits.frameCredit = 2 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(try Frames.watch(3, .every))
    #expect(try peer.receiveControl() == .credit(stream: 3, frames: 2))
    for id in 1...4 as ClosedRange<UInt64> { try peer.send(try Frames.frame(3, id, [UInt8(id)])) }
    try peer.send(ControlFromClient.ping(1).frame)
    #expect(try peer.receiveControl() == .pong(1))
    engine.detector.release()
    for id in 1...4 as ClosedRange<UInt64> {
      let answer = try peer.receiveWatch()
      #expect(answer.tag.id == id)
      if id <= 2 {
        guard case .result = answer.outcome else {
          Issue.record("frame \(id) has no result")
          continue
        }
      } else {
        guard case .failure(let status) = answer.outcome else {
          Issue.record("frame \(id) did not fail")
          continue
        }
        #expect(status.code == .resourceExhausted)
      }
    }
    // Answers have brought the credit back.
    for id in 5...100 as ClosedRange<UInt64> {
      try peer.send(try Frames.frame(3, id))
      let answer = try peer.receiveWatch()
      #expect(answer.tag.id == id)
      if case .result = answer.outcome {} else { Issue.record("frame \(id) has no result") }
    }
  }

  @Test func everyNeedsCredit() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello([.cancel])
    try peer.send(try Frames.watch(3, .every))
    expectEnd(peer, .failedPrecondition)
  }

  @Test func frameThatFailsDoesNotEndTheStream() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3))
    for (id, file, code) in [
      (1, [UInt8]("bad".utf8), .invalidArgument), (2, [], .invalidArgument), (3, [1], nil),
    ] as [(UInt64, [UInt8], StatusCode?)] {
      try peer.send(try Frames.frame(3, id, file))
      let answer = try peer.receiveWatch()
      #expect(answer.tag.id == id)
      if case .failure(let status) = answer.outcome {
        #expect(status.code == code)
      } else {
        #expect(code == nil)
      }
    }
  }

  @Test func deadlineOfAFrameIsCheckedAtItsTurn() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let holder = try RawPeer(engine.socket)
    try holder.send(try Frames.detect(1, [99]))
    engine.detector.waitUntilRunning(1)
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1, timeout: 1))
    try peer.send(try Frames.watch(5, timeout: 1) + Frames.frame(5, 2))
    try peer.send(try Frames.health(7))
    #expect(try peer.receiveStatus().stream == 7)
    engine.detector.release()
    for id in 1...2 as ClosedRange<UInt64> {
      let answer = try peer.receiveWatch()
      #expect(answer.tag.id == id)
      guard case .failure(let status) = answer.outcome else {
        Issue.record("did not fail")
        continue
      }
      #expect(status.code == .deadlineExceeded)
    }
    engine.stop()
    #expect(engine.detector.marks == [99])
  }

  @Test(
    arguments: [
      [0x12, 2, 0x08, 1],  // a frame before the start
      [],  // nothing
      [0x0a],  // half a field
      [0x0a, 2, 0x10, 9],  // a mode that does not exist
    ] as [[UInt8]])
  func wrongBeginningEndsTheStream(message: [UInt8]) throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try WatchCall.openFrame(CallHeader(stream: 3)))
    try peer.send(Frames.header(UInt32(message.count), 3, type: 3) + message)
    expectEnd(peer, .invalidArgument)
    // What was on its way is passed over.
    try peer.send(try Frames.frame(3, 1) + StreamEnd.dataFrame(stream: 3) + Frames.health(5))
    #expect(try peer.receiveStatus().stream == 5)
  }

  @Test func wrongDataEndsTheStream() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    let start = try WatchCall.startFrame(stream: 3, WatchStart(options: DetectionOptions(), mode: .newest))
    try peer.send(try Frames.watch(3) + start)
    expectEnd(peer, .invalidArgument)
    try peer.send(try Frames.watch(5) + Frames.header(0, 5, type: 3, flags: 0x80))
    expectEnd(peer, .invalidArgument)
    engine.detector.hold()
    try peer.send(
      try Frames.watch(7) + Frames.frame(7, 1) + StreamEnd.dataFrame(stream: 7) + Frames.frame(7, 2))
    expectEnd(peer, .invalidArgument)
  }

  @Test func tooLongAFrameEndsTheStream() throws {
    let engine = try TestServer { $0.limits.messageBytes = 1000 }
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1, [UInt8](repeating: 1, count: 2000)))
    expectEnd(peer, .resourceExhausted)
    try peer.send(try Frames.health(5))
    #expect(try peer.receiveStatus().stream == 5)
  }

  @Test func methodsAndFlagsMustFit() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    var detect = try Frames.detect(3)
    detect[9] = 2
    try peer.send(detect)
    #expect(try peer.receiveStatus().failure?.code == .unimplemented)
    var watch = try WatchCall.openFrame(CallHeader(stream: 5))
    watch[9] = 0
    try peer.send(watch)
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
  }

  @Test func streamsAreBounded() throws {
    let engine = try TestServer { $0.limits.streamsPerConnection = 2 }
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.watch(5) + Frames.watch(7) + Frames.frame(7, 1))
    let refused = try peer.receiveStatus()
    #expect(refused.stream == 7)
    #expect(refused.failure?.code == .resourceExhausted)
    try peer.send(StreamEnd.dataFrame(stream: 3))
    expectEnd(peer, .ok)
    try peer.send(try Frames.watch(9) + Frames.frame(9, 1))
    #expect(try peer.receiveWatch().tag.id == 1)
  }

  @Test func streamNumberInUseEndsThePeer() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.health(3))
    #expect(try peer.receiveStatus().failure?.code == .invalidArgument)
    #expect(try peer.receive() == nil)
  }

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
    expectEnd(peer, .cancelled)
    // The same number, and what still runs is not taken for its frame.
    try peer.send(try Frames.watch(3) + Frames.frame(3, 9, [9]))
    engine.detector.release()
    #expect(try peer.receiveWatch().tag.id == 9)
    engine.stop()
    #expect(engine.detector.marks == [1, 9])
  }

  @Test func streamsOpenedAndCancelledInThousands() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    for round in 0..<10_000 as Range<UInt32> {
      let stream = 2 * round + 3
      try peer.send(
        try Frames.watch(stream) + Frames.frame(stream, 1) + ControlFromClient.cancel(stream: stream).frame)
      var frame = try #require(try peer.receive())
      if frame.header.type == FrameType.data.rawValue { frame = try #require(try peer.receive()) }
      #expect(frame.header.stream == stream)
      #expect(try ResponseEnvelope(decoding: frame.body.span).failure?.code == .cancelled)
    }
    try peer.send(try Frames.health(1))
    #expect(try peer.receiveStatus().failure == nil)
  }

  @Test func peerThatGoesTakesItsFramesWithIt() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let holder = try RawPeer(engine.socket)
    try holder.send(try Frames.detect(1, [99]))
    engine.detector.waitUntilRunning(1)
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1, [1]) + Frames.watch(5) + Frames.frame(5, 1, [2]))
    try peer.send(try Frames.health(7))
    #expect(try peer.receiveStatus().stream == 7)
    peer.close()
    try holder.send(try Frames.health(3))
    #expect(try holder.receiveStatus().stream == 3)
    try holder.send(try Frames.health(5))
    #expect(try holder.receiveStatus().stream == 5)
    engine.detector.release()
    #expect(try holder.receiveStatus().stream == 1)
    #expect(engine.stop() == nil)
    #expect(engine.detector.marks == [99])
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
    // The stream with nothing to do ends at once.
    expectEnd(peer, .unavailable)
    try peer.send(try Frames.frame(3, 3) + ControlFromClient.ping(2).frame)
    #expect(try peer.receiveControl() == .pong(2))
    engine.detector.release()
    #expect(try peer.receiveWatch().tag.id == 1)
    #expect(try peer.receiveWatch().tag.id == 2)
    expectEnd(peer, .unavailable)
    #expect(try peer.receive() == nil)
    #expect(engine.stop() == nil)
  }

  @Test(arguments: [false, true])
  func streamNeverReadIsDropped(held: Bool) throws {
    let engine = try TestServer { $0.limits.unreadBytes = 100_000 }
    // Held, the answers wait for the first frame and not for the peer; they count all the same.
    if held { engine.detector.hold() }
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1))
    if held { engine.detector.waitUntilRunning(1) }
    let many = try [UInt8]((0..<1000).flatMap { _ in try Frames.frame(3, 2) })
    var alive = true
    while alive { alive = try peer.send(many) }
    let other = try RawPeer(engine.socket)
    try other.send(try Frames.health(1))
    #expect(try other.receiveStatus().failure == nil)
    #expect(engine.log.lines.contains { $0.contains("unread") })
  }

  @Test func framesThatWaitAreBounded() throws {
    let engine = try TestServer {
      $0.workers = 1
      $0.limits.queuedBytes = 1000
    }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3) + Frames.frame(3, 1))
    engine.detector.waitUntilRunning(1)
    try peer.send(try Frames.frame(3, 2, [UInt8](repeating: 1, count: 2000)) + Frames.frame(3, 3))
    engine.detector.release()
    #expect(try peer.receiveWatch().tag.id == 1)
    let refused = try peer.receiveWatch()
    guard case .failure(let status) = refused.outcome else {
      Issue.record("did not fail")
      return
    }
    #expect(status.code == .resourceExhausted)
    #expect(try peer.receiveWatch().tag.id == 3)
  }
}

/// Streams whose faces have ids.
@Suite struct TrackingStreamTests {
  private func watch(_ stream: UInt32, _ tracking: TrackingOptions) throws -> [UInt8] {
    let start = WatchStart(options: DetectionOptions(), mode: .newest, tracking: tracking)
    return try WatchCall.openFrame(CallHeader(stream: stream)) + WatchCall.startFrame(stream: stream, start)
  }

  /// Two streams of one connection do not know of each other's faces, whatever worker has their frames.
  @Test func eachStreamHasItsOwnIds() throws {
    let engine = try TestServer { $0.workers = 4 }
    let peer = try RawPeer(engine.socket)
    try peer.send(try watch(3, TrackingOptions()) + watch(5, TrackingOptions()))
    var ids: [[UInt64]] = []
    var left: [[UInt64]] = []
    for (index, mark) in ([7, 7, 8, 0, 7] as [UInt8]).enumerated() {
      for stream in [3, 5] as [UInt32] {
        try peer.send(try Frames.frame(stream, UInt64(index), [mark]))
        let answer = try peer.receiveWatch()
        guard case .result(let result) = answer.outcome else { throw Status(.internal, "no result") }
        ids.append(result.faces.compactMap(\.track?.id))
        left.append(answer.left)
      }
    }
    #expect(ids == [[1], [1], [1], [1], [2], [2], [], [], [3], [3]])
    #expect(left == [[], [], [], [], [1], [1], [2], [2], [], []])
  }

  @Test func framesThatFailLeaveTheTrackerUsable() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try watch(3, TrackingOptions()))
    for file in [[7], [UInt8]("bad".utf8), [7]] as [[UInt8]] {
      try peer.send(try Frames.frame(3, 1, file))
      let answer = try peer.receiveWatch()
      if case .result(let result) = answer.outcome { #expect(result.faces[0].track?.id == 1) }
    }
  }

  @Test func wrongTrackingEndsTheStream() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    var tracking = TrackingOptions()
    tracking.detectionInterval = 2000
    try peer.send(try watch(3, tracking))
    let end = #expect(throws: Status.self) { _ = try peer.receiveWatch() }
    #expect(end?.code == .invalidArgument)
    #expect(end?.message.contains("2000") == true)
  }
}
