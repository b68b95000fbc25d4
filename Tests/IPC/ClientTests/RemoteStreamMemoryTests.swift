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

  /// While the first frame is held, the newest frame takes the memory of the one that waits; with one buffer no
  /// frame can wait.
  @Test(arguments: [(2, 20, [1, 20]), (1, 5, [1])] as [(Int, UInt8, [Float])])
  func framesAreDroppedWhileThereIsNoMemory(buffers: Int, frames: UInt8, found: [Float]) throws {
    let served = try Served { $0.limits.buffersPerConnection = buffers }
    let stream = try served.open(StreamOptions(.newest))
    served.detector.hold()
    for mark in 1...frames {
      #expect(try stream.submit(mark, Self.size) == UInt64(mark))
      if mark == 1 { served.detector.waitUntilRunning(1) }
    }
    served.detector.release()
    let events = served.log.wait(for: Int(frames))
    #expect(served.log.numbers == Array(1...UInt64(frames)))
    #expect(served.log.marks == found)
    let dropped = events.dropFirst().prefix(Int(frames) - found.count).map(\.outcome)
    #expect(dropped == (1...UInt64(dropped.count)).map { .dropped(total: $0) })
    stream.close()
  }

  /// Another client has all memory: no frame under way could free any.
  @Test func framesFailWhileOthersHaveAllMemory() throws {
    let served = try Served { ($0.limits.mappedBytesPerUser, $0.workers) = (8 << 20, 2) }
    let taken = EventLog()
    let taker = try served.other().openStream(StreamOptions(.newest), deliver: taken.deliver)
    served.detector.hold()
    try taker.submit(1, Self.size)
    served.detector.waitUntilRunning(1)
    let stream = try served.open(StreamOptions(.newest))
    for mark in 2...4 as ClosedRange<UInt8> {
      try stream.submit(mark, Self.size)
      served.log.wait(for: Int(mark) - 1)
    }
    #expect(served.log.failures == [.resourceExhausted, .resourceExhausted, .resourceExhausted])
    for case .failed(let status) in served.log.events.map(\.outcome) {
      #expect(status.message.contains("--limit mapped-bytes-per-user"))
    }
    served.detector.release()
    // The other client's stream returns the memory that it does not use.
    let found = eventually { () -> Float? in
      let before = served.log.events.count
      _ = try? stream.submit(9, Self.size)
      served.log.wait(for: before + 1)
      return served.log.marks.last
    }
    #expect(found == 9)
    taker.close()
    stream.close()
  }

  /// There are more sizes of frames than buffers, and always some frames under way.
  @Test func framesOfMoreSizesThanBuffersAreAllSearched() throws {
    let served = try Served()
    let buffers = EngineLimits().buffersPerConnection
    let stream = try served.open(StreamOptions(.every))
    var count = 0
    func submit(_ size: Int) throws {
      count += 1
      try stream.submit(UInt8(count), size << 20)
    }
    // The largest first: a smaller frame could use a larger buffer.
    for round in 0..<3 {
      for size in (1...buffers).reversed() {
        try submit(size)
        served.log.wait(for: count)
      }
      // Meanwhile one frame is searched, and others wait.
      served.detector.hold()
      for size in [buffers, buffers + 1 + round, buffers + 4] { try submit(size) }
      served.detector.release()
      served.log.wait(for: count)
    }
    #expect(served.log.failures == [])
    #expect(served.log.marks == (1...count).map(Float.init))
    stream.close()
  }

  /// The engine goes while one thread closes the stream and another one submits: the stream is closed, whatever else
  /// is the matter.
  @Test func submitThatAClosingThreadInterruptsSaysThatTheStreamIsClosed() throws {
    let served = try Served { ($0.limits.buffersPerConnection, $0.drainTimeout) = (1, .milliseconds(1)) }
    let stream = try served.open(StreamOptions(.every, tracking: true))
    served.detector.hold()
    try stream.submit(1, Self.size)
    served.detector.waitUntilRunning(1)
    let outcome = Monitor<Status?>(nil)
    let submitting = try Thread(name: "submitting") {
      // Waits for the memory of the first frame.
      let refusal = stream.refusal(2, Self.size)
      outcome.withLock { $0 = refusal }
    }
    #expect(comeToWait("submitting"))
    let closing = try Thread(name: "closing") { stream.close() }
    let box = Box(x: 10, y: 10, width: 10, height: 10)
    #expect(comesTrue { (try? stream.follow(box)) == nil })
    served.engine.server.stop()
    submitting.join()
    closing.join()
    served.engine.stop()
    let status = outcome.withLock { $0 }
    #expect(status?.code == .failedPrecondition && status?.message.contains("closed") == true)
  }

  /// An image larger than any user may share is refused in every mode.
  @Test(arguments: [StreamMode.newest, .every])
  func imageLargerThanTheLimitIsRefused(mode: StreamMode) throws {
    let served = try Served { $0.limits.mappedBytesPerUser = 5 << 20 }
    let stream = try served.open(StreamOptions(mode))
    let status = stream.refusal(1, 6 << 20)
    #expect(status?.code == .resourceExhausted)
    #expect(status?.message.contains("mapped_bytes_per_user is \(5 << 20)") == true)
    #expect(status?.message.contains("--limit mapped-bytes-per-user") == true)
    try stream.submit(7, Self.size)
    served.log.wait(for: 1)
    #expect(served.log.marks == [7])
    stream.close()
  }

  /// Each stream keeps within its share, so that the last one has memory as well.
  @Test func everyStreamHasMemory() throws {
    let served = try Served { $0.limits.mappedBytesPerUser = 64 << 20 }
    let logs = (0..<8).map { _ in EventLog() }
    let streams = try logs.map {
      try served.client.openStream(StreamOptions(.newest), deliver: $0.deliver)
    }
    for mark in 1...20 as ClosedRange<UInt8> {
      for stream in streams { try stream.submit(mark, Self.size) }
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
