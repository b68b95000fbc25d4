import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

/// Streams and calls when the engine goes away, stops or is missing.
@Suite struct RemoteStreamLossTests {
  private func tracking(_ mode: StreamMode) -> StreamOptions {
    var options = StreamOptions()
    options.mode = mode
    options.tracking = TrackingOptions()
    return options
  }

  private func ids(_ events: [FrameEvent]) -> [UInt64] {
    events.flatMap { event -> [UInt64] in
      guard case .faces(let result) = event.outcome else { return [] }
      return result.faces.compactMap(\.track?.id)
    }
  }

  /// The frames at the engine's end: those it has, one that waits, and one whose caller waits for room.
  @Test func lostEngineEndsEveryFrame() throws {
    let engine = try FaultyEngine { peer, frame in
      // The peer takes the first frame and goes.
      frame.header.type == FrameType.data.rawValue && peer.framesSeen >= 4 ? nil : []
    }
    let client = try Client(socket: engine.path)
    let log = EventLog()
    let stream = try client.openStream(StreamOptions(), deliver: log.deliver)
    var taken: UInt64 = 0
    for mark in 1...3 as ClosedRange<UInt8> {
      if let number = try? stream.submit(heldImage(mark), timestamp: 0) { taken = number }
    }
    let events = log.wait(for: Int(taken))
    #expect(taken > 0)
    #expect(events.map(\.frame.number) == Array(1...taken))
    // A frame may have been dropped for a newer one before the engine went.
    #expect(log.failures.contains(.unavailable))
    #expect(log.failures.allSatisfy { $0 == .unavailable })
    stream.close()
  }

  @Test func drainingEngineAnswersTheFramesItHas() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    let engine = try TestServer { $0.socket = path }
    let client = try Client(socket: path)
    let log = EventLog()
    let stream = try client.openStream(tracking(.every), deliver: log.deliver)
    engine.detector.hold()
    _ = try stream.submit(heldImage(1), timestamp: 0)
    engine.detector.waitUntilRunning(1)
    engine.server.stop()
    let refused = eventually { () -> Status? in
      do throws(Status) {
        _ = try stream.submit(heldImage(2), timestamp: 0)
        return nil
      } catch {
        return error
      }
    }
    #expect(refused?.code == .unavailable)
    engine.detector.release()
    let events = log.wait(for: 1)
    #expect(ids(Array(events.prefix(1))) == [1])
    engine.stop()
    stream.close()
    #expect(log.events.map(\.frame.number) == Array(1...UInt64(log.events.count)))
  }

  /// Closing does not wait for an engine that is not there.
  @Test func closingWhileTheEngineIsGone() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let stream = try client.openStream(tracking(.newest)) { _ in }
    engine.stop()
    _ = eventually { (try? stream.submit(heldImage(1), timestamp: 0)) == nil ? true : nil }
    stream.close()
    let status = #expect(throws: Status.self) { try stream.submit(heldImage(1), timestamp: 0) }
    #expect(status?.code == .failedPrecondition)
  }

  /// Closing waits no longer than the client's timeout, and neither does submitting.
  @Test(arguments: [StreamMode.every, .newest])
  func closingASilentEnginesStreamTimesOut(mode: StreamMode) throws {
    let engine = try FaultyEngine(
      features: [.credit],
      { connection, frame in
        // The stream begins with a credit of two frames.
        connection.framesSeen == 3 ? ControlFromEngine.credit(stream: 3, frames: 2).frame : []
      })
    var options = ClientOptions()
    options.timeout = .milliseconds(300)
    let client = try Client(socket: engine.path, options: options)
    let log = EventLog()
    let stream = try client.openStream(tracking(mode), deliver: log.deliver)
    var taken = 0
    for mark in 1...3 as ClosedRange<UInt8> {
      do throws(Status) {
        _ = try stream.submit(heldImage(mark), timestamp: 0)
        taken += 1
      } catch {
        #expect(mode == .every && error.code == .deadlineExceeded)
      }
    }
    #expect(taken == (mode == .every ? 2 : 3))
    stream.close()
    let events = log.events
    #expect(events.map(\.frame.number) == Array(1...UInt64(taken)))
    if mode == .newest {
      #expect(events[1].outcome == .dropped(total: 1))
      #expect(log.failures == [.cancelled, .cancelled])
    } else {
      #expect(log.failures == [.cancelled, .cancelled])
    }
  }

  /// One answer is to a frame that was never sent, the other is not a message.
  @Test(arguments: [99, 0] as [UInt64])
  func wrongAnswersEndTheStream(id: UInt64) throws {
    let engine = try FaultyEngine { peer, frame in
      guard frame.header.type == FrameType.data.rawValue, peer.framesSeen >= 4 else { return [] }
      if id == 0 {
        return [0, 0, 0, 1, 0, 0, 0, 3, 3, 0, 0xff]
      }
      return WatchCall.droppedFrame(stream: 3, FrameInfo(number: id), total: 1)
    }
    let client = try Client(socket: engine.path)
    let log = EventLog()
    let stream = try client.openStream(StreamOptions(), deliver: log.deliver)
    _ = try stream.submit(heldImage(1), timestamp: 0)
    log.wait(for: 1)
    #expect(log.failures == [.dataLoss])
    stream.close()
  }

  // MARK: Calls

  @Test func callsDuringThePauseWaitForTheNextAttempt() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    let first = try TestServer { $0.socket = path }
    let client = try Client(socket: path)
    first.stop()
    for _ in 0..<3 {
      let status = #expect(throws: Status.self) { try client.health() }
      #expect(status?.code == .unavailable)
    }
    // The deadline leaves no time for the next attempt.
    let short = #expect(throws: Status.self) {
      try [1].withUnsafeBytes { bytes in
        _ = try client.detect(ImageInput(.encoded(bytes), timeout: 1_000_000), options: DetectionOptions())
      }
    }
    #expect(short?.code == .unavailable)
    let second = try TestServer { $0.socket = path }
    #expect(try client.health() == .serving)
    second.stop()
  }
}
