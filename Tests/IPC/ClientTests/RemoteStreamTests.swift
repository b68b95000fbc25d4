import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import Synchronization
import Testing

/// Streams against a real engine: each frame taken has one event, in order, on one thread.
@Suite struct RemoteStreamTests {
  private func options(
    _ mode: StreamMode, tracking: Bool = false, timeout: TimeSpan = .zero
  ) -> StreamOptions {
    var options = StreamOptions()
    options.mode = mode
    options.tracking = tracking ? TrackingOptions() : nil
    options.frameTimeout = timeout
    return options
  }

  /// Small images travel in the message, large ones in shared memory, whose slots are used again and again.
  @Test(arguments: [StreamMode.every, .newest], [100, 400_000])
  func framesAreAnsweredInOrder(mode: StreamMode, size: Int) throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(mode), deliver: log.deliver)
    for index in 1...60 as ClosedRange<UInt64> {
      #expect(try stream.submit(heldImage(UInt8(index), size + Int(index)), timestamp: index * 7) == index)
      if mode == .newest { log.wait(for: Int(index)) }
    }
    let events = log.wait(for: 60)
    #expect(log.numbers == Array(1...60))
    for (index, event) in events.enumerated() {
      #expect(event.frame.timestamp == UInt64(index + 1) * 7)
      guard case .faces(let result) = event.outcome else {
        Issue.record("frame \(index + 1): \(event.outcome)")
        continue
      }
      #expect(result.imageSize.width == size + index + 1)
      #expect(result.faces[0].box.x == Float(index + 1))
    }
    #expect(log.threadCount == 1)
    #expect(try client.stats().mappedBytes < 4 << 20)
    stream.close()
    #expect(log.events.count == 60)
  }

  @Test(arguments: [100, 400_000])
  func newestFrameWins(size: Int) throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(.newest), deliver: log.deliver)
    engine.detector.hold()
    _ = try stream.submit(heldImage(1, size), timestamp: 0)
    engine.detector.waitUntilRunning(1)
    for mark in 2...100 as ClosedRange<UInt8> { _ = try stream.submit(heldImage(mark, size), timestamp: 0) }
    #expect(log.events.isEmpty)
    engine.detector.release()
    let events = log.wait(for: 100)
    #expect(log.numbers == Array(1...100))
    for (index, event) in events.enumerated() {
      switch event.outcome {
      case .faces: #expect(index == 0 || index == 99)
      case .dropped(let total): #expect(total == UInt64(index))
      case .failed(let status): Issue.record("\(status)")
      }
    }
    #expect(log.marks == [1, 100])
    stream.close()
  }

  /// An engine about as fast as the frames come: whichever are dropped, results come in the order of the
  /// frames, in which the engine worked.
  @Test(arguments: [100, 100_000])
  func newestModeKeepsTheOrderUnderLoad(size: Int) throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(.newest, tracking: true), deliver: log.deliver)
    for index in 1...2000 { _ = try stream.submit(heldImage(1, size + index), timestamp: 0) }
    let events = log.wait(for: 2000)
    #expect(log.numbers == Array(1...2000))
    var dropped: UInt64 = 0
    var found: UInt32 = 0
    for event in events {
      switch event.outcome {
      case .faces(let result):
        found += 1
        #expect(result.imageSize.width == size + Int(event.frame.number))
        #expect(result.faces.first?.track?.frameCount == found)
      case .dropped(let total):
        dropped += 1
        #expect(total == dropped)
      case .failed(let status): Issue.record("\(status)")
      }
    }
    stream.close()
  }

  /// A frame's `release` may submit, since no lock is held when it is called.
  @Test func releaseMaySubmit() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(.newest), deliver: log.deliver)
    engine.detector.hold()
    _ = try stream.submit(heldImage(1) { _ = try? stream.submit(heldImage(9), timestamp: 0) }, timestamp: 0)
    engine.detector.release()
    log.wait(for: 2)
    #expect(log.marks == [1, 9])
    stream.close()
  }

  /// The engine gives credit for two frames; submitting a third waits for an answer.
  @Test func everyFrameWaitsForCredit() throws {
    let engine = try TestServer { $0.limits.frameCredit = 2 }
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(.every), deliver: log.deliver)
    engine.detector.hold()
    let submitted = Atomic(0)
    let thread = try Posix.Thread(name: "submitter") {
      for mark in 1...6 as ClosedRange<UInt8> {
        #expect(throws: Never.self) { try stream.submit(heldImage(mark, 200_000), timestamp: 0) }
        submitted.add(1, ordering: .sequentiallyConsistent)
      }
    }
    engine.detector.waitUntilRunning(1)
    #expect(comesTrue { submitted.load(ordering: .sequentiallyConsistent) == 2 })
    CurrentProcess.sleep(for: .milliseconds(20))
    #expect(submitted.load(ordering: .sequentiallyConsistent) == 2)
    engine.detector.release()
    thread.join()
    log.wait(for: 6)
    #expect(log.marks == [1, 2, 3, 4, 5, 6])
    stream.close()
  }

  @Test func failedFramesDoNotEndTheStream() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(.every), deliver: log.deliver)
    for _ in 0..<3 {
      let bad = Array("bad".utf8)
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
      bytes.copyBytes(from: bad)
      let image = HeldImage(ImageInput(.encoded(UnsafeRawBufferPointer(bytes)))) { bytes.deallocate() }
      _ = try stream.submit(image, timestamp: 0)
      _ = try stream.submit(heldImage(5), timestamp: 0)
    }
    log.wait(for: 6)
    #expect(log.failures == [.invalidArgument, .invalidArgument, .invalidArgument])
    #expect(log.marks == [5, 5, 5])
    stream.close()
  }

  @Test(arguments: [StreamMode.every, .newest])
  func frameFailsAfterItsTimeout(mode: StreamMode) throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let timeout: TimeSpan = .milliseconds(300)
    let stream = try client.openStream(options(mode, timeout: timeout), deliver: log.deliver)
    engine.detector.hold()
    // The first begins within its time; on a busy machine it may take more than one.
    var first: UInt64 = 0
    repeat {
      first = try stream.submit(heldImage(1), timestamp: 0)
      #expect(comesTrue { !engine.detector.marks.isEmpty || UInt64(log.failures.count) == first })
    } while engine.detector.marks.isEmpty
    // The second has its time from when the engine has it, which its size shows.
    let (before, size) = (try client.stats().receivedBytes, 30_000)
    _ = try stream.submit(heldImage(2, size), timestamp: 0)
    #expect(try comesTrue { try client.stats().receivedBytes >= before + size })
    CurrentProcess.sleep(for: timeout)
    engine.detector.release()
    log.wait(for: Int(first) + 1)
    #expect(log.numbers == Array(1...first + 1))
    #expect(log.failures == Array(repeating: .deadlineExceeded, count: Int(first)))
    #expect(engine.detector.marks == [1])
    // The stream continues.
    var last = first + 1
    repeat {
      last = try stream.submit(heldImage(3), timestamp: 0)
      log.wait(for: Int(last))
    } while log.marks.count < 2 && last < first + 100
    #expect(log.marks == [1, 3])
    stream.close()
  }

  /// Copied pixels are released on return, others with the event at the latest.
  @Test(arguments: [100, 400_000])
  func imagesAreReleasedOnce(size: Int) throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(.newest), deliver: log.deliver)
    let released = Counter()
    engine.detector.hold()
    for _ in 0..<5 {
      _ = try stream.submit(heldImage(1, size) { released.add() }, timestamp: 0)
    }
    if size > 100_000 { #expect(released.value == 5) }
    engine.detector.release()
    log.wait(for: 5)
    stream.close()
    #expect(released.value == 5)
  }

  // MARK: Closing

  @Test func closingDropsWaitingFramesAndAwaitsTheRunningOne() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(.newest), deliver: log.deliver)
    engine.detector.hold()
    _ = try stream.submit(heldImage(1), timestamp: 0)
    engine.detector.waitUntilRunning(1)
    _ = try stream.submit(heldImage(2), timestamp: 0)
    let closer = try Posix.Thread(name: "closer") { stream.close() }
    // The stream is closing once it refuses frames.
    let refused = eventually { () -> Status? in
      do throws(Status) {
        _ = try stream.submit(heldImage(3), timestamp: 0)
        return nil
      } catch {
        return error
      }
    }
    #expect(refused?.code == .failedPrecondition)
    engine.detector.release()
    closer.join()
    let events = log.events
    #expect(events.map(\.frame.number) == Array(1...UInt64(events.count)))
    #expect(log.marks == [1])
    #expect(log.failures == [.cancelled])
    // A second close does nothing.
    stream.close()
    #expect(log.events.count == events.count)
    #expect(try comesTrue { try client.stats().connections == 1 })
  }

  @Test func closedStreamsLeaveNoConnectionsOrMappings() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    for _ in 0..<50 {
      let log = EventLog()
      let stream = try client.openStream(options(.every, tracking: true), deliver: log.deliver)
      _ = try stream.submit(heldImage(1, 300_000), timestamp: 0)
      stream.close()
      #expect(log.marks == [1])
    }
    #expect(
      try comesTrue {
        let stats = try client.stats()
        return stats.connections == 1 && stats.mappedBytes == 0
      })
  }

  // MARK: Tracking

  @Test func facesAreFollowed() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(.every, tracking: true), deliver: log.deliver)
    for mark in [5, 5, 6, 0, 5] as [UInt8] { _ = try stream.submit(heldImage(mark), timestamp: 0) }
    let events = log.wait(for: 5)
    let tracks = events.map { event -> Track? in
      if case .faces(let result) = event.outcome { result.faces.first?.track } else { nil }
    }
    #expect(
      tracks == [
        Track(id: 1, frameCount: 1), Track(id: 1, frameCount: 2), Track(id: 2, frameCount: 1), nil,
        Track(id: 3, frameCount: 1),
      ])
    #expect(events.map(\.left) == [[], [], [1], [2], []])
    stream.close()
  }

  @Test func wrongOptionsAreRefusedAtOnce() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    var wrong = options(.newest, tracking: true)
    wrong.tracking?.detectionInterval = 0
    #expect(refusal(client, wrong)?.code == .invalidArgument)
    wrong = options(.newest)
    wrong.frameTimeout = .nanoseconds(-1)
    #expect(refusal(client, wrong)?.code == .invalidArgument)
    wrong = options(.newest)
    wrong.detection.minConfidence = .nan
    #expect(refusal(client, wrong)?.code == .invalidArgument)
    // Only the engine knows this limit.
    wrong = options(.newest, tracking: true)
    wrong.tracking?.detectionInterval = 2000
    #expect(refusal(client, wrong)?.code == .invalidArgument)
    #expect(refusal(client, wrong)?.message.contains("2000") == true)
  }

  private func refusal(_ client: Client, _ options: StreamOptions) -> Status? {
    do throws(Status) {
      try client.openStream(options) { _ in }.close()
      return nil
    } catch {
      return error
    }
  }

  // MARK: Without shared memory

  @Test func imagesGoInTheMessageWhereBuffersAreRefused() throws {
    let engine = try TestServer { $0.limits.mappedBytesPerUser = 300_000 }
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(options(.every), deliver: log.deliver)
    // Takes all of the user's memory.
    let data = [UInt8](repeating: 3, count: 200_000)
    _ = try data.withUnsafeBytes { bytes in
      try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions())
    }
    for _ in 0..<10 { _ = try stream.submit(heldImage(1, 200_000), timestamp: 0) }
    log.wait(for: 10)
    // This covers the frame that reported the refusal, and those sent before its answer.
    #expect(log.failures.allSatisfy { $0 == .resourceExhausted })
    #expect(log.failures.count <= 4)
    #expect(log.marks.count == 10 - log.failures.count)
    let large = #expect(throws: Status.self) { try stream.submit(heldImage(1, 5 << 20), timestamp: 0) }
    #expect(large?.code == .resourceExhausted)
    stream.close()
  }

  /// Submits inside the callback in mode `every`, where waiting would never end.
  @Test func submittingFromTheCallbackDoesNotHang() throws {
    let engine = try TestServer { $0.limits.frameCredit = 1 }
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let box = Mutex<(any FrameStream)?>(nil)
    let refusals = Counter()
    let stream = try client.openStream(options(.every)) { event in
      log.deliver(event)
      guard event.frame.number == 1, let stream = box.withLock({ $0 }) else { return }
      for _ in 0..<2 {
        do throws(Status) {
          _ = try stream.submit(heldImage(9), timestamp: 0)
        } catch {
          #expect(error.code == .failedPrecondition)
          refusals.add()
        }
      }
    }
    box.withLock { $0 = stream }
    _ = try stream.submit(heldImage(1), timestamp: 0)
    log.wait(for: 2)
    #expect(refusals.value == 1)
    box.withLock { $0 = nil }
    stream.close()
    #expect(log.marks == [1, 9])
  }
}

final class Counter: Sendable {
  private let storage = Atomic(0)
  var value: Int { storage.load(ordering: .sequentiallyConsistent) }
  func add() { storage.add(1, ordering: .sequentiallyConsistent) }
}
