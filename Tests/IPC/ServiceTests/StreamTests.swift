import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

extension Frames {
  /// Opens a stream and begins it.
  static func watch(_ stream: UInt32, _ mode: StreamMode = .newest, timeout: TimeSpan = .zero) throws
    -> [UInt8]
  {
    try WatchCall.openFrame(CallHeader(stream: stream, timeout: timeout))
      + WatchCall.startFrame(stream: stream, WatchStart(options: DetectionOptions(), mode: mode))
  }

  static func frame(
    _ stream: UInt32, _ id: UInt64, _ file: [UInt8] = [7], timeout: UInt64 = 0
  ) throws -> [UInt8] {
    try file.withUnsafeBytes { bytes in
      try WatchCall.requestFrame(
        stream: stream, FrameInfo(number: id, timestamp: id * 10), MessageImage(.encoded(bytes)),
        timeout: timeout)
    }
  }
}

extension RawPeer {
  /// Expects that the stream has ended with this status.
  func expectEnd(_ code: StatusCode, sourceLocation: SourceLocation = #_sourceLocation) {
    let end = #expect(throws: Status.self, sourceLocation: sourceLocation) { _ = try receiveWatch() }
    #expect(end?.code == code, sourceLocation: sourceLocation)
  }
}

/// Frames and their answers.
@Suite struct StreamTests {
  @Test func framesAreAnsweredAndTheStreamEnds() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.watch(3))
    for id in 1...20 as ClosedRange<UInt64> {
      try peer.send(try Frames.frame(3, id, [UInt8](repeating: 7, count: Int(id))))
      let answer = try peer.receiveWatch()
      #expect(answer.frame == FrameInfo(number: id, timestamp: id * 10))
      guard case .faces(let result) = answer.outcome else {
        Issue.record("no result")
        return
      }
      #expect(result.imageSize.width == Int(id))
    }
    try peer.send(StreamEnd.dataFrame(stream: 3))
    peer.expectEnd(.ok)
    try peer.send(try Frames.health(5))
    #expect(try peer.receiveStatus().failure == nil)
  }

  /// The second frame is queued while the first one is answered, and the loop then waits for its deadline.
  @Test func framesWithTheEarliestDeadlineAreAnswered() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello()
    try peer.send(
      try Frames.watch(3, .every, timeout: TimeSpan(nanoseconds: .min)) + Frames.frame(3, 1)
        + Frames.frame(3, 2))
    _ = try peer.receiveControl()
    let answer = try peer.receiveWatch()
    #expect(answer.frame.number == 1)
    guard case .failed(let status) = answer.outcome else {
      Issue.record("a frame after its deadline was searched")
      return
    }
    #expect(status.code == .deadlineExceeded)
    let other = try RawPeer(engine.socket)
    try other.send(try Frames.health(1))
    #expect(try other.receiveStatus().failure == nil)
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
      #expect(answer.frame.number == id)
      switch answer.outcome {
      case .faces: #expect(id == 1 || id == 100)
      case .dropped(let total): #expect(total == id - 1)
      case .failed: Issue.record("failed")
      }
    }
    #expect(engine.detector.marks == [1, 100])
  }

  /// A frame that no worker has begun is replaced, even if it has left its stream.
  @Test func newestFrameWinsInTheWorkersQueueToo() throws {
    let held = try PausedServer()
    let peer = try RawPeer(held.engine.socket)
    try peer.send(try Frames.watch(3))
    for id in 1...5 as ClosedRange<UInt64> { try peer.send(try Frames.frame(3, id, [UInt8(id)])) }
    for id in 1...4 as ClosedRange<UInt64> {
      let answer = try peer.receiveWatch()
      #expect(answer.frame.number == id)
      #expect(answer.outcome == .dropped(total: id))
    }
    try held.release()
    #expect(try peer.receiveWatch().frame.number == 5)
    #expect(held.engine.detector.marks == [99, 5])
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
      #expect(answer.frame.number == id)
      if id <= 2 {
        guard case .faces = answer.outcome else {
          Issue.record("frame \(id) has no result")
          continue
        }
      } else {
        guard case .failed(let status) = answer.outcome else {
          Issue.record("frame \(id) did not fail")
          continue
        }
        #expect(status.code == .resourceExhausted)
      }
    }
    // Answers have restored the credit.
    for id in 5...100 as ClosedRange<UInt64> {
      try peer.send(try Frames.frame(3, id))
      let answer = try peer.receiveWatch()
      #expect(answer.frame.number == id)
      if case .faces = answer.outcome {} else { Issue.record("frame \(id) has no result") }
    }
  }

  @Test func modeEveryNeedsCredit() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    _ = try peer.hello([.cancel])
    try peer.send(try Frames.watch(3, .every))
    peer.expectEnd(.failedPrecondition)
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
      #expect(answer.frame.number == id)
      if case .failed(let status) = answer.outcome {
        #expect(status.code == code)
      } else {
        #expect(code == nil)
      }
    }
  }

  @Test func frameIsAnsweredWhenItsDeadlinePasses() throws {
    let held = try PausedServer()
    let peer = try RawPeer(held.engine.socket)
    for id in 1...2 as ClosedRange<UInt64> {
      try peer.send(
        id == 1
          ? try Frames.watch(3) + Frames.frame(3, 1, timeout: 1)
          : try Frames.watch(5, timeout: 1) + Frames.frame(5, 2))
      let answer = try peer.receiveWatch()
      #expect(answer.frame.number == id)
      guard case .failed(let status) = answer.outcome else {
        Issue.record("did not fail")
        continue
      }
      #expect(status.code == .deadlineExceeded)
    }
    try held.release()
    held.engine.stop()
    #expect(held.engine.detector.marks == [99])
  }
}
