import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

/// Streams against a real engine: each frame taken has one event, in order, on one thread.
@Suite struct RemoteStreamTests {
  /// Small images travel in the message, large ones in shared memory, whose slots are used again and again.
  @Test(arguments: [StreamMode.every, .newest], [100, 400_000])
  func framesAreAnsweredInOrder(mode: StreamMode, size: Int) throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(mode))
    for index in 1...60 as ClosedRange<UInt64> {
      #expect(try stream.submit(UInt8(index), size + Int(index), timestamp: index * 7) == index)
      if mode == .newest { served.log.wait(for: Int(index)) }
    }
    let events = served.log.wait(for: 60)
    #expect(served.log.numbers == Array(1...60))
    for (index, event) in events.enumerated() {
      #expect(event.frame.timestamp == UInt64(index + 1) * 7)
      guard case .faces(let result) = event.outcome else {
        Issue.record("frame \(index + 1): \(event.outcome)")
        continue
      }
      #expect(result.imageSize.width == size + index + 1)
      #expect(result.faces[0].box.x == Float(index + 1))
    }
    #expect(served.log.threadCount == 1)
    #expect(try served.client.stats().mappedBytes < 4 << 20)
    stream.close()
    #expect(served.log.events.count == 60)
  }

  @Test(arguments: [100, 400_000])
  func newestFrameWins(size: Int) throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.newest))
    served.detector.hold()
    try stream.submit(1, size)
    served.detector.waitUntilRunning(1)
    for mark in 2...100 as ClosedRange<UInt8> { try stream.submit(mark, size) }
    #expect(served.log.events.isEmpty)
    served.detector.release()
    let events = served.log.wait(for: 100)
    #expect(served.log.numbers == Array(1...100))
    for (index, event) in events.enumerated() {
      switch event.outcome {
      case .faces: #expect(index == 0 || index == 99)
      case .dropped(let total): #expect(total == UInt64(index))
      case .failed(let status): Issue.record("\(status)")
      }
    }
    #expect(served.log.marks == [1, 100])
    stream.close()
  }

  /// An engine about as fast as the frames come: whichever are dropped, results come in the order of the
  /// frames, in which the engine worked.
  @Test(arguments: [100, 100_000])
  func newestModeKeepsTheOrderUnderLoad(size: Int) throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.newest, tracking: true))
    for index in 1...2000 { try stream.submit(1, size + index) }
    let events = served.log.wait(for: 2000)
    #expect(served.log.numbers == Array(1...2000))
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
    let served = try Served()
    let stream = try served.open(StreamOptions(.newest))
    served.detector.hold()
    _ = try stream.submit(heldImage(1) { _ = try? stream.submit(9) }, timestamp: 0)
    served.detector.release()
    served.log.wait(for: 2)
    #expect(served.log.marks == [1, 9])
    stream.close()
  }

  /// The engine gives credit for two frames; submitting a third waits for an answer.
  @Test func everyFrameWaitsForCredit() throws {
    let served = try Served { $0.limits.frameCredit = 2 }
    let stream = try served.open(StreamOptions(.every))
    served.detector.hold()
    let submitted = Counter()
    let thread = try Posix.Thread(name: "submitter") {
      for mark in 1...6 as ClosedRange<UInt8> {
        #expect(stream.refusal(mark, 200_000) == nil)
        submitted.add()
      }
    }
    served.detector.waitUntilRunning(1)
    #expect(comesTrue { submitted.value == 2 } && comeToWait("submitter") && submitted.value == 2)
    served.detector.release()
    thread.join()
    served.log.wait(for: 6)
    #expect(served.log.marks == [1, 2, 3, 4, 5, 6])
    stream.close()
  }

  @Test func failedFramesDoNotEndTheStream() throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.every))
    for _ in 0..<3 {
      let bad = Array("bad".utf8)
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
      bytes.copyBytes(from: bad)
      let image = HeldImage(ImageInput(.encoded(UnsafeRawBufferPointer(bytes)))) { bytes.deallocate() }
      _ = try stream.submit(image, timestamp: 0)
      try stream.submit(5)
    }
    served.log.wait(for: 6)
    #expect(served.log.failures == [.invalidArgument, .invalidArgument, .invalidArgument])
    #expect(served.log.marks == [5, 5, 5])
    stream.close()
  }

  @Test(arguments: [StreamMode.every, .newest])
  func frameFailsAfterItsTimeout(mode: StreamMode) throws {
    let served = try Served()
    let timeout: TimeSpan = .milliseconds(300)
    let stream = try served.open(StreamOptions(mode, timeout: timeout))
    served.detector.hold()
    // The first begins within its time; on a busy machine it may take more than one.
    var first: UInt64 = 0
    repeat {
      first = try stream.submit(1)
      #expect(comesTrue { !served.detector.marks.isEmpty || UInt64(served.log.failures.count) == first })
    } while served.detector.marks.isEmpty
    // The second has its time from when the engine has it, which its size shows.
    let (before, size) = (try served.client.stats().receivedBytes, 30_000)
    try stream.submit(2, size)
    #expect(try comesTrue { try served.client.stats().receivedBytes >= before + size })
    CurrentProcess.sleep(for: timeout)
    served.detector.release()
    served.log.wait(for: Int(first) + 1)
    #expect(served.log.numbers == Array(1...first + 1))
    #expect(served.log.failures == Array(repeating: .deadlineExceeded, count: Int(first)))
    #expect(served.detector.marks == [1])
    // The stream continues.
    var last = first + 1
    repeat {
      last = try stream.submit(3)
      served.log.wait(for: Int(last))
    } while served.log.marks.count < 2 && last < first + 100
    #expect(served.log.marks == [1, 3])
    stream.close()
  }

  /// Copied pixels are released on return, others with the event at the latest.
  @Test(arguments: [100, 400_000])
  func imagesAreReleasedOnce(size: Int) throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.newest))
    let released = Counter()
    served.detector.hold()
    for _ in 0..<5 {
      _ = try stream.submit(heldImage(1, size) { released.add() }, timestamp: 0)
    }
    if size > 100_000 { #expect(released.value == 5) }
    served.detector.release()
    served.log.wait(for: 5)
    stream.close()
    #expect(released.value == 5)
  }

  // MARK: Closing

  @Test func closingDropsWaitingFramesAndAwaitsTheRunningOne() throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.newest))
    served.detector.hold()
    try stream.submit(1)
    served.detector.waitUntilRunning(1)
    try stream.submit(2)
    let closer = try Posix.Thread(name: "closer") { stream.close() }
    // The stream is closing once it refuses frames.
    #expect(eventually { stream.refusal(3) }?.code == .failedPrecondition)
    served.detector.release()
    closer.join()
    let events = served.log.events
    #expect(events.map(\.frame.number) == Array(1...UInt64(events.count)))
    #expect(served.log.marks == [1])
    #expect(served.log.failures == [.cancelled])
    // A second close does nothing.
    stream.close()
    #expect(served.log.events.count == events.count)
    #expect(try comesTrue { try served.client.stats().connections == 1 })
  }

  @Test func closedStreamsLeaveNoConnectionsOrMappings() throws {
    let served = try Served()
    for round in 1...50 {
      let stream = try served.open(StreamOptions(.every, tracking: true))
      try stream.submit(1, 300_000)
      stream.close()
      #expect(served.log.marks.count == round)
    }
    #expect(
      try comesTrue {
        let stats = try served.client.stats()
        return stats.connections == 1 && stats.mappedBytes == 0
      })
  }

  // MARK: Tracking

  @Test func facesAreFollowed() throws {
    let served = try Served()
    let stream = try served.open(StreamOptions(.every, tracking: true))
    for mark in [5, 5, 6, 0, 5] as [UInt8] { try stream.submit(mark) }
    let events = served.log.wait(for: 5)
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

  /// Only the engine knows the limit of the last.
  @Test func wrongOptionsAreRefusedAtOnce() throws {
    let served = try Served()
    for (words, change) in [
      ("", { $0.tracking?.detectionInterval = 0 }), ("", { $0.frameTimeout = .nanoseconds(-1) }),
      ("", { $0.detection.minConfidence = .nan }),
      ("", { $0.check = adjusted(CheckOptions()) { $0.hold = .nanoseconds(-1) } }),
      ("2000", { $0.tracking?.detectionInterval = 2000 }),
    ] as [(String, (inout StreamOptions) -> Void)] {
      let wrong = adjusted(StreamOptions(.newest, tracking: true), change)
      expectFailure(.invalidArgument, words) { try served.open(wrong) }
    }
  }

  // MARK: Without shared memory

  @Test func imagesGoInTheMessageWhereBuffersAreRefused() throws {
    let served = try Served { $0.limits.mappedBytesPerUser = 300_000 }
    let stream = try served.open(StreamOptions(.every))
    // Takes all of the user's memory.
    #expect(served.client.code(200_000) == .ok)
    for _ in 0..<10 { try stream.submit(1, 200_000) }
    served.log.wait(for: 10)
    // This covers the frame that reported the refusal, and those sent before its answer.
    #expect(served.log.failures.allSatisfy { $0 == .resourceExhausted })
    #expect(served.log.failures.count <= 4)
    #expect(served.log.marks.count == 10 - served.log.failures.count)
    #expect(stream.refusal(1, 5 << 20)?.code == .resourceExhausted)
    stream.close()
  }

  /// Submits inside the callback in mode `every`, where waiting would never end.
  @Test func submittingFromTheCallbackDoesNotHang() throws {
    let served = try Served { $0.limits.frameCredit = 1 }
    let box = Mutex<(any FrameStream)?>(nil)
    let refusals = Counter()
    let stream = try served.client.openStream(StreamOptions(.every)) { event in
      served.log.deliver(event)
      guard event.frame.number == 1, let stream = box.withLock({ $0 }) else { return }
      for _ in 0..<2 {
        if let refusal = stream.refusal(9) {
          #expect(refusal.code == .failedPrecondition)
          refusals.add()
        }
      }
    }
    box.withLock { $0 = stream }
    try stream.submit(1)
    served.log.wait(for: 2)
    #expect(refusals.value == 1)
    box.withLock { $0 = nil }
    stream.close()
    #expect(served.log.marks == [1, 9])
  }
}
