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

  /// An engine that was restarted gives ids from 1 again; the stream keeps counting, and reports who left.
  @Test(arguments: [StreamMode.every, .newest])
  func streamOpensAgainAfterARestart(mode: StreamMode) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    let first = try TestServer { $0.socket = path }
    let client = try Client(socket: path)
    let log = EventLog()
    let stream = try client.openStream(tracking(mode), deliver: log.deliver)
    for (count, mark) in ([5, 6] as [UInt8]).enumerated() {
      _ = try stream.submit(heldImage(mark, 200_000), timestamp: 0)
      log.wait(for: count + 1)
    }
    first.stop()
    let gone = eventually { () -> Status? in
      do throws(Status) {
        _ = try stream.submit(heldImage(7, 200_000), timestamp: 0)
        return nil
      } catch {
        return error
      }
    }
    #expect(gone?.code == .unavailable)
    let second = try TestServer { $0.socket = path }
    let taken = eventually { try? stream.submit(heldImage(6, 200_000), timestamp: 0) }
    #expect(taken != nil)
    let events = log.wait(for: Int(taken ?? 0))
    #expect(events.map(\.frame.number) == Array(1...UInt64(events.count)))
    let ids = ids(events)
    #expect(Set(ids).count == ids.count)
    #expect(ids.last.map { $0 > 2 } == true)
    // Each face that was in view before has left once.
    #expect(events.flatMap(\.left).sorted() == Array(1...UInt64(ids.count - 1)))
    stream.close()
    second.stop()
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

  /// Calls and streams from several threads while the engine goes and comes: each ends with a result or an
  /// error.
  @Test(arguments: [StreamMode.every, .newest])
  func callsAndStreamsEndUnderRepeatedRestarts(mode: StreamMode) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    var engine: TestServer? = try TestServer { $0.socket = path }
    let client = try Client(socket: path)
    let log = EventLog()
    let stream = try client.openStream(tracking(mode), deliver: log.deliver)
    let isOver = Counter()
    let answered = Counter()
    var threads = try (0..<3).map { index in
      try Posix.Thread(name: "caller") {
        let data = [UInt8](repeating: UInt8(index + 1), count: index * 200_000 + 10)
        while isOver.value == 0 {
          let outcome = data.withUnsafeBytes { bytes in
            Result { () throws(Status) in
              try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions())
            }
          }
          switch outcome {
          case .success(let result):
            #expect(result.faces.first?.box.x == Float(index + 1))
            answered.add()
          case .failure(let status): #expect(status.code == .unavailable)
          }
        }
      }
    }
    let taken = Counter()
    threads.append(
      try Posix.Thread(name: "submitter") {
        while isOver.value == 0 {
          do throws(Status) {
            _ = try stream.submit(heldImage(3, 100_000), timestamp: 0)
            taken.add()
          } catch {
            #expect(error.code == .unavailable)
            CurrentProcess.sleep(for: .milliseconds(1))
          }
        }
      })
    for _ in 0..<5 {
      let before = answered.value
      #expect(comesTrue { answered.value > before + 10 })
      engine?.stop()
      engine = nil
      engine = try TestServer { $0.socket = path }
    }
    let before = (answered.value, taken.value)
    #expect(comesTrue { answered.value > before.0 + 10 && taken.value > before.1 + 10 })
    isOver.add()
    for thread in threads { thread.join() }
    stream.close()
    #expect(log.numbers == Array(1...UInt64(taken.value)))
    #expect(Set(log.failures).isSubset(of: [.unavailable, .cancelled]))
    // Each connection has one face with an id of its own.
    var ids: [UInt64] = []
    for id in self.ids(log.events) where ids.last != id { ids.append(id) }
    #expect(ids == Array(1...UInt64(max(1, ids.count))))
    engine?.stop()
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
