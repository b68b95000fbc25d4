import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

/// Streams when the engine goes away, stops or is wrong.
@Suite struct RemoteStreamLossTests {
  /// The frames at the engine's end: those it has, one that waits, and one whose caller waits for room.
  @Test func lostEngineEndsEveryFrame() throws {
    let engine = try FaultyEngine { peer, frame in
      // The peer takes the first frame and goes.
      frame.header.type == FrameType.data.rawValue && peer.framesSeen >= 4 ? nil : []
    }
    let log = EventLog()
    let stream = try Client(socket: engine.path).openStream(StreamOptions(), deliver: log.deliver)
    var taken: UInt64 = 0
    for mark in 1...3 as ClosedRange<UInt8> { taken = (try? stream.submit(mark)) ?? taken }
    let events = log.wait(for: Int(taken))
    #expect(taken > 0)
    #expect(events.map(\.frame.number) == Array(1...taken))
    // A frame may have been dropped for a newer one before the engine went.
    #expect(log.failures.contains(.unavailable))
    #expect(log.failures.allSatisfy { $0 == .unavailable })
    stream.close()
  }

  @Test func drainingEngineAnswersTheFramesItHas() throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.every, tracking: true))
    served.detector.hold()
    try stream.submit(1)
    served.detector.waitUntilRunning(1)
    served.engine.server.stop()
    #expect(eventually { stream.refusal(2) }?.code == .unavailable)
    served.detector.release()
    guard case .faces(let result) = served.log.wait(for: 1).first?.outcome else {
      Issue.record("the frame has failed")
      return
    }
    #expect(result.faces.map(\.track?.id) == [1])
    served.engine.stop()
    stream.close()
    #expect(served.log.numbers == Array(1...UInt64(served.log.events.count)))
  }

  /// Closing does not wait for an engine that is not there.
  @Test func closingWhileTheEngineIsGone() throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.newest, tracking: true))
    served.engine.stop()
    #expect(eventually { stream.refusal(1) } != nil)
    stream.close()
    #expect(stream.refusal(1)?.code == .failedPrecondition)
  }

  /// Closing waits no longer than the client's timeout, and neither does submitting.
  @Test(arguments: [StreamMode.every, .newest])
  func closingASilentEnginesStreamTimesOut(mode: StreamMode) throws {
    let engine = try FaultyEngine(features: [.credit]) { connection, frame in
      // The stream begins with a credit of two frames.
      connection.framesSeen == 3 ? ControlFromEngine.credit(stream: 3, frames: 2).frame : []
    }
    let client = try Client(socket: engine.path, options: ClientOptions(timeout: .milliseconds(300)))
    let log = EventLog()
    let stream = try client.openStream(StreamOptions(mode, tracking: true), deliver: log.deliver)
    let refusals = (1...3 as ClosedRange<UInt8>).map { stream.refusal($0)?.code }
    #expect(refusals == [nil, nil, mode == .every ? .deadlineExceeded : nil])
    stream.close()
    #expect(log.numbers == (mode == .every ? [1, 2] : [1, 2, 3]))
    if mode == .newest { #expect(log.events[1].outcome == .dropped(total: 1)) }
    #expect(log.failures == [.cancelled, .cancelled])
  }

  /// One answer is to a frame that was never sent, the other is not a message.
  @Test(arguments: [99, 0] as [UInt64])
  func wrongAnswersEndTheStream(id: UInt64) throws {
    let engine = try FaultyEngine { peer, frame in
      guard frame.header.type == FrameType.data.rawValue, peer.framesSeen >= 4 else { return [] }
      return id == 0
        ? [0, 0, 0, 1, 0, 0, 0, 3, 3, 0, 0xff]
        : WatchCall.droppedFrame(stream: 3, FrameInfo(number: id), total: 1)
    }
    let log = EventLog()
    let stream = try Client(socket: engine.path).openStream(StreamOptions(), deliver: log.deliver)
    try stream.submit(1)
    log.wait(for: 1)
    #expect(log.failures == [.dataLoss])
    stream.close()
  }
}
