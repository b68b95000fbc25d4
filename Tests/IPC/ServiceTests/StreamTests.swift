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
  /// Expects that the engine answers a call.
  func expectServed(_ stream: UInt32 = 99, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try send(try Frames.health(stream))
    let answer = try receiveStatus()
    #expect(answer.stream == stream && answer.failure == nil, sourceLocation: sourceLocation)
  }

  /// Expects that the stream has ended with this status.
  func expectEnd(_ code: StatusCode, sourceLocation: SourceLocation = #_sourceLocation) {
    let end = #expect(throws: Status.self, sourceLocation: sourceLocation) { _ = try receiveWatch() }
    #expect(end?.code == code, sourceLocation: sourceLocation)
  }
}

extension FrameEvent {
  var failure: Status? { if case .failed(let status) = outcome { status } else { nil } }
  var result: DetectionResult? { if case .faces(let result) = outcome { result } else { nil } }
}

/// Frames and their answers.
@Suite struct StreamTests {
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
    #expect(answer.failure?.code == .deadlineExceeded)
    try RawPeer(engine.socket).expectServed()
  }

  @Test func modeEveryNeedsCredit() throws {
    let peer = try RawPeer(TestServer())
    _ = try peer.hello([.cancel])
    try peer.send(try Frames.watch(3, .every))
    peer.expectEnd(.failedPrecondition)
  }

  @Test func frameThatFailsDoesNotEndTheStream() throws {
    let peer = try RawPeer(TestServer())
    try peer.send(try Frames.watch(3))
    for (id, file, code) in [
      (1, [UInt8]("bad".utf8), .invalidArgument), (2, [], .invalidArgument), (3, [1], nil),
    ] as [(UInt64, [UInt8], StatusCode?)] {
      try peer.send(try Frames.frame(3, id, file))
      let answer = try peer.receiveWatch()
      #expect(answer.frame.number == id)
      #expect(answer.failure?.code == code)
    }
  }
}
