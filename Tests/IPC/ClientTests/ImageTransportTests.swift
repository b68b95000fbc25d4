import Client
import FaceCore
import Foundation
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing

/// Large images go through shared memory, which is offered once and reused.
@Suite struct ImageTransportTests {
  @Test(
    arguments: PixelFormat.packed, [PixelSize(width: 40, height: 30), PixelSize(width: 1920, height: 1080)])
  func pixelsArriveWhole(format: PixelFormat, size: PixelSize) throws {
    let served = try Served()
    // Each row has a gap, which is not sent.
    let row = size.width * format.rowBytes(plane: 0, width: 1)
    let data = [UInt8](repeating: 9, count: (row + 64) * size.height)
    try data.withView(format, size: size, stride: row + 64) { (view) throws(Status) in
      let input = ImageInput(.pixels(view), orientation: .left)
      for _ in 0..<3 {
        let result = try served.client.detect(input, options: DetectionOptions())
        #expect(result == FakeDetector.expected(input, DetectionOptions()))
      }
    }
    // Three frames share one buffer: their pixels, rounded up.
    let (mapped, pixels) = (try served.client.stats().mappedBytes, row * size.height)
    #expect(size.width == 40 ? mapped == 0 : mapped >= pixels && mapped < pixels + 512 << 10)
  }

  @Test func buffersAreUnmappedWithTheConnection() throws {
    let served = try Served()
    do {
      let client = try served.other()
      for size in [100_000, 1_000_000, 9_000_000] { #expect(try client.width(size) == size) }
    }
    // The engine sees the end of a connection within a moment.
    #expect(try comesTrue { try served.client.stats().mappedBytes == 0 })
  }

  /// There are more sizes than buffers: a buffer that is too small makes room for a larger one.
  @Test func largerImageReplacesASmallerBuffer() throws {
    let served = try Served { $0.limits.buffersPerConnection = 2 }
    for size in [300_000, 600_000, 900_000, 1_200_000, 300_000, 5_000_000] {
      #expect(try served.client.width(size) == size)
    }
  }

  /// Each client may assume that there is room; the user has it once.
  @Test func imageIsSentInTheMessageWhenBuffersAreRefused() throws {
    let served = try Served { $0.limits.mappedBytesPerUser = 300_000 }
    let other = try served.other()
    for client in [served.client, other, served.client] { #expect(try client.width(200_000) == 200_000) }
  }

  /// Calls that timed out leave buffers that the engine may still read; these are reclaimed, not lost.
  @Test func buffersOfTimedOutCallsAreReclaimed() throws {
    let served = try Served { $0.limits.buffersPerConnection = 2 }
    for _ in 0..<5 {
      served.detector.hold()
      let late = served.client.code(5 << 20, timeout: 20_000_000)
      #expect(late == .deadlineExceeded || late == .resourceExhausted)
      served.detector.release()
    }
    // A worker that still reads an old buffer holds its place for a moment.
    #expect(comesTrue { served.client.code(5 << 20) == .ok })
  }

  /// The images are too large for a message, and there are fewer buffers than callers: each caller waits for
  /// its turn.
  @Test func callersBeyondTheBuffersWaitForOne() throws {
    let served = try Served { $0.limits.buffersPerConnection = 2 }
    try concurrently(6) { _ in
      for _ in 0..<5 { #expect(served.client.code(5 << 20) == .ok) }
    }
  }
}

/// Memory that a user's programs share: no program holds unused parts of it for long.
@Suite struct IdleMemoryTests {
  @Test func largeBufferIsReturnedAtOnce() throws {
    let served = try Served()
    let other = try served.other()
    #expect(served.client.code(100 << 20) == .ok)
    #expect(try comesTrue { try other.stats().mappedBytes == 0 })
    #expect(other.code(100 << 20) == .ok)
    // A client that makes small calls keeps a small buffer.
    for _ in 0..<2 { #expect(served.client.code(5 << 20) == .ok) }
    #expect(try comesTrue { try other.stats().mappedBytes == 5 << 20 })
  }

  /// The buffer is not used for a much smaller image, which would keep it in use.
  @Test func bufferUnusedForASecondIsReturnedByACall() throws {
    let served = try Served()
    let other = try served.other()
    #expect(served.client.code(20 << 20) == .ok)
    #expect(try other.stats().mappedBytes == 20 << 20)
    let isUnmapped = try comesTrue {
      #expect(served.client.code(1 << 20) == .ok)
      return try other.stats().mappedBytes == 1 << 20
    }
    #expect(isUnmapped)
  }

  /// The buffers that a connection keeps for its next call are returned when the limit requires it.
  @Test func refusedCallReturnsIdleBuffers() throws {
    let served = try Served { $0.limits.mappedBytesPerUser = 40 << 20 }
    let other = try served.other()
    // A client knows of its own memory; only the engine knows of another client's.
    for (client, mebibytes) in [(served.client, 20), (other, 10), (served.client, 25), (other, 15)] {
      #expect(client.code(mebibytes << 20) == .ok)
    }
    let status = expectFailure(
      .resourceExhausted, "mapped_bytes_per_user", "--limit mapped-bytes-per-user"
    ) { try served.client.width(41 << 20) }
    #expect(status?.message.contains("JPEG") == false, "it is sent as a file")
  }

  /// No further call is made, but a stream has a thread.
  @Test func streamReturnsUnusedBuffers() throws {
    let served = try Served()
    let stream = try served.open(StreamOptions())
    for mark in [1, 2] {
      try stream.submit(UInt8(mark), 40 << 20)
      served.log.wait(for: mark)
      #expect(try comesTrue { try served.client.stats().mappedBytes == 0 })
    }
    #expect(served.log.marks == [1, 2])
    stream.close()
  }
}
