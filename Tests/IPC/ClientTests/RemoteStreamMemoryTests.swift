import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing

/// Frames that need shared memory, with less of it than they could use.
@Suite struct RemoteStreamMemoryTests {
  /// A size larger than a message takes.
  private static let size = 5 << 20

  private func options(_ mode: StreamMode) -> StreamOptions {
    var options = StreamOptions()
    options.mode = mode
    return options
  }

  /// Submits that many frames while the first one is held, and returns their outcomes.
  private func outcomes(_ buffers: Int, _ frames: UInt8) throws -> (EventLog, [FrameEvent]) {
    let engine = try TestServer { $0.limits.buffersPerConnection = buffers }
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(.newest), deliver: log.deliver)
    engine.detector.hold()
    for mark in 1...frames {
      #expect(try stream.submit(heldImage(mark, Self.size), timestamp: 0) == UInt64(mark))
      if mark == 1 { engine.detector.waitUntilRunning(1) }
    }
    engine.detector.release()
    let events = log.wait(for: Int(frames))
    #expect(log.numbers == Array(1...UInt64(frames)))
    for case .dropped(let total) in events.map(\.outcome) { #expect(total <= UInt64(frames)) }
    stream.close()
    return (log, events)
  }

  /// The newest frame takes the memory of the one that waits.
  @Test func newestFrameTakesTheMemoryOfTheWaitingOne() throws {
    let (log, events) = try outcomes(2, 20)
    #expect(log.marks == [1, 20])
    #expect(events.dropFirst().dropLast().map(\.outcome) == (1...18).map { .dropped(total: $0) })
  }

  /// With one buffer no frame can wait.
  @Test func framesAreDroppedWhileThereIsNoMemory() throws {
    let (log, events) = try outcomes(1, 5)
    #expect(log.marks == [1])
    #expect(events.dropFirst().map(\.outcome) == (1...4).map { .dropped(total: $0) })
  }

  /// Another client has all memory: no frame under way could free any.
  @Test func framesFailWhileOthersHaveAllMemory() throws {
    let engine = try TestServer {
      $0.limits.mappedBytesPerUser = 8 << 20
      $0.workers = 2
    }
    let client = try Client(socket: engine.socket)
    let stranger = try Client(socket: engine.socket)
    let taken = EventLog()
    let taker = try stranger.openStream(options(.newest), deliver: taken.deliver)
    engine.detector.hold()
    _ = try taker.submit(heldImage(1, Self.size), timestamp: 0)
    engine.detector.waitUntilRunning(1)
    let log = EventLog()
    let stream = try client.openStream(options(.newest), deliver: log.deliver)
    for mark in 2...4 as ClosedRange<UInt8> {
      _ = try stream.submit(heldImage(mark, Self.size), timestamp: 0)
      log.wait(for: Int(mark) - 1)
    }
    #expect(log.failures == [.resourceExhausted, .resourceExhausted, .resourceExhausted])
    for case .failed(let status) in log.events.map(\.outcome) {
      #expect(status.message.contains("--limit mapped-bytes-per-user"))
    }
    engine.detector.release()
    // The other client's stream returns the memory that it does not use.
    let found = eventually { () -> Float? in
      let before = log.events.count
      _ = try? stream.submit(heldImage(9, Self.size), timestamp: 0)
      log.wait(for: before + 1)
      return log.marks.last
    }
    #expect(found == 9)
    taker.close()
    stream.close()
  }

  /// There are more sizes of frames than buffers, and always some frames under way.
  @Test func framesOfMoreSizesThanBuffersAreAllSearched() throws {
    let engine = try TestServer()
    let buffers = EngineLimits().buffersPerConnection
    let log = EventLog()
    let stream = try Client(socket: engine.socket).openStream(options(.every), deliver: log.deliver)
    var count = 0
    func submit(_ size: Int) throws {
      count += 1
      _ = try stream.submit(heldImage(UInt8(count), size << 20), timestamp: 0)
    }
    // The largest first: a smaller frame could use a larger buffer.
    for round in 0..<3 {
      for size in (1...buffers).reversed() {
        try submit(size)
        log.wait(for: count)
      }
      // Meanwhile one frame is searched, and others wait.
      engine.detector.hold()
      for size in [buffers, buffers + 1 + round, buffers + 4] { try submit(size) }
      engine.detector.release()
      log.wait(for: count)
    }
    #expect(log.failures == [])
    #expect(log.marks == (1...count).map(Float.init))
    stream.close()
  }

  /// The engine goes while one thread closes the stream and another one submits: the stream is closed, whatever else
  /// is the matter.
  @Test func submitThatAClosingThreadInterruptsSaysThatTheStreamIsClosed() throws {
    let engine = try TestServer {
      $0.limits.buffersPerConnection = 1
      $0.drainTimeout = .milliseconds(1)
    }
    var tracked = options(.every)
    tracked.tracking = TrackingOptions()
    let log = EventLog()
    let stream = try Client(socket: engine.socket).openStream(tracked, deliver: log.deliver)
    engine.detector.hold()
    _ = try stream.submit(heldImage(1, Self.size), timestamp: 0)
    engine.detector.waitUntilRunning(1)
    let outcome = Monitor<Status?>(nil)
    let submitting = try Thread(name: "submitting") {
      do throws(Status) {
        // Waits for the memory of the first frame.
        _ = try stream.submit(heldImage(2, Self.size), timestamp: 0)
      } catch {
        outcome.withLock { $0 = error }
      }
    }
    CurrentProcess.sleep(for: .milliseconds(20))
    let closing = try Thread(name: "closing") { stream.close() }
    let box = Box(x: 10, y: 10, width: 10, height: 10)
    while (try? stream.follow(box)) != nil { CurrentProcess.sleep(for: .milliseconds(1)) }
    engine.server.stop()
    submitting.join()
    closing.join()
    engine.stop()
    let status = outcome.withLock { $0 }
    #expect(status?.code == .failedPrecondition && status?.message.contains("closed") == true)
  }

  /// An image larger than any user may share is refused in every mode.
  @Test(arguments: [StreamMode.newest, .every])
  func imageLargerThanTheLimitIsRefused(mode: StreamMode) throws {
    let engine = try TestServer { $0.limits.mappedBytesPerUser = 5 << 20 }
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(mode), deliver: log.deliver)
    let status = #expect(throws: Status.self) { try stream.submit(heldImage(1, 6 << 20), timestamp: 0) }
    #expect(status?.code == .resourceExhausted)
    #expect(status?.message.contains("mapped_bytes_per_user is \(5 << 20)") == true)
    #expect(status?.message.contains("--limit mapped-bytes-per-user") == true)
    _ = try stream.submit(heldImage(7, Self.size), timestamp: 0)
    log.wait(for: 1)
    #expect(log.marks == [7])
    stream.close()
  }

  /// Each stream keeps within its share, so that the last one has memory as well.
  @Test func everyStreamHasMemory() throws {
    let engine = try TestServer { $0.limits.mappedBytesPerUser = 64 << 20 }
    let client = try Client(socket: engine.socket)
    let logs = (0..<8).map { _ in EventLog() }
    let streams = try logs.map { try client.openStream(options(.newest), deliver: $0.deliver) }
    for mark in 1...20 as ClosedRange<UInt8> {
      for stream in streams { _ = try stream.submit(heldImage(mark, Self.size), timestamp: 0) }
    }
    for log in logs {
      log.wait(for: 20)
      #expect(log.numbers == Array(1...20))
      #expect(log.failures == [])
      #expect(log.marks.first == 1)
    }
    for stream in streams { stream.close() }
  }
}
