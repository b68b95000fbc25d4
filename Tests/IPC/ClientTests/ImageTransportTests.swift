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
  @Test(arguments: PixelFormat.packed)
  func frameBeyondAMessageArrivesWhole(format: PixelFormat) throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let (width, height) = (1920, 1080)
    // Each row has a gap, which is not sent.
    let stride = width * format.rowBytes(plane: 0, width: 1) + 64
    let data = [UInt8](repeating: 9, count: stride * height)
    try data.withUnsafeBytes { bytes in
      let view = try ImageView(format: format, width: width, height: height, stride: stride, bytes: bytes)
      let input = ImageInput(.pixels(view), orientation: .left)
      for _ in 0..<3 {
        let result = try client.detect(input, options: DetectionOptions())
        #expect(result == FakeDetector.expected(input, DetectionOptions()))
      }
    }
    // Three frames share one buffer: their pixels, rounded up.
    let pixels = UInt64(width * format.rowBytes(plane: 0, width: 1) * height)
    let mapped = try client.stats().mappedBytes
    #expect(mapped >= pixels && mapped < pixels + 512 << 10)
  }

  @Test func buffersAreUnmappedWithTheConnection() throws {
    let engine = try TestServer()
    do {
      let client = try Client(socket: engine.socket)
      for size in [100_000, 1_000_000, 9_000_000] {
        let data = [UInt8](repeating: 3, count: size)
        try data.withUnsafeBytes { bytes in
          let result = try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions())
          #expect(result.imageSize.width == size)
        }
      }
    }
    let other = try Client(socket: engine.socket)
    // The engine sees the end of a connection within a moment.
    #expect(try comesTrue { try other.stats().mappedBytes == 0 })
  }

  /// There are more sizes than buffers: a buffer that is too small makes room for a larger one.
  @Test func largerImageReplacesASmallerBuffer() throws {
    let engine = try TestServer { $0.limits.buffersPerConnection = 2 }
    let client = try Client(socket: engine.socket)
    for size in [300_000, 600_000, 900_000, 1_200_000, 300_000, 5_000_000] {
      let data = [UInt8](repeating: 3, count: size)
      try data.withUnsafeBytes { bytes in
        let result = try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions())
        #expect(result.imageSize.width == size)
      }
    }
  }

  @Test func imageIsSentInTheMessageWhenBuffersAreRefused() throws {
    let engine = try TestServer { $0.limits.mappedBytesPerUser = 300_000 }
    let client = try Client(socket: engine.socket)
    let other = try Client(socket: engine.socket)
    // Each client may assume that there is room; the user has it once.
    for client in [client, other, client] {
      let data = [UInt8](repeating: 3, count: 200_000)
      try data.withUnsafeBytes { bytes in
        let result = try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions())
        #expect(result.imageSize.width == 200_000)
      }
    }
  }

  /// Calls that timed out leave buffers that the engine may still read; these are reclaimed, not lost.
  @Test func buffersOfTimedOutCallsAreReclaimed() throws {
    let engine = try TestServer { $0.limits.buffersPerConnection = 2 }
    let client = try Client(socket: engine.socket)
    let data = [UInt8](repeating: 3, count: 5 << 20)
    for _ in 0..<5 {
      engine.detector.hold()
      let late = data.withUnsafeBytes { bytes in
        #expect(throws: Status.self) {
          try client.detect(ImageInput(.encoded(bytes), timeout: 20_000_000), options: DetectionOptions())
        }
      }
      #expect(late?.code == .deadlineExceeded || late?.code == .resourceExhausted)
      engine.detector.release()
    }
    // A worker that still reads an old buffer holds its place for a moment.
    let width = data.withUnsafeBytes { bytes in
      eventually {
        try? client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions()).imageSize.width
      }
    }
    #expect(width == data.count)
  }

  /// The images are too large for a message, and there are fewer buffers than callers: each caller waits for
  /// its turn.
  @Test func callersBeyondTheBuffersWaitForOne() throws {
    let engine = try TestServer { $0.limits.buffersPerConnection = 2 }
    let client = try Client(socket: engine.socket)
    let data = [UInt8](repeating: 3, count: 5 << 20)
    try withoutActuallyEscaping({ (_: Int) in
      for _ in 0..<5 {
        let width = data.withUnsafeBytes { bytes in
          try? client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions()).imageSize.width
        }
        #expect(width == data.count)
      }
    }) { work in
      try concurrently(6, work)
    }
  }
}

/// Memory that a user's programs share: no program holds unused parts of it for long.
@Suite struct IdleMemoryTests {
  private func detect(_ client: Client, _ size: Int) throws {
    try [UInt8](repeating: 3, count: size).withUnsafeBytes { bytes in
      let result = try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions())
      #expect(result.imageSize.width == size)
    }
  }

  @Test func largeBufferIsReturnedAtOnce() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let other = try Client(socket: engine.socket)
    try detect(client, 100 << 20)
    #expect(try comesTrue { try other.stats().mappedBytes == 0 })
    try detect(other, 100 << 20)
    // A client that makes small calls keeps a small buffer.
    try detect(client, 5 << 20)
    try detect(client, 5 << 20)
    #expect(try comesTrue { try other.stats().mappedBytes == 5 << 20 })
  }

  @Test func bufferUnusedForASecondIsReturnedByTheNextCall() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let other = try Client(socket: engine.socket)
    try detect(client, 20 << 20)
    #expect(try other.stats().mappedBytes == 20 << 20)
    // The buffer is not used for a much smaller image, which would keep it in use.
    try detect(client, 1 << 20)
    CurrentProcess.sleep(for: .milliseconds(1050))
    try detect(client, 1 << 20)
    #expect(try comesTrue { try other.stats().mappedBytes == 1 << 20 })
  }

  /// The buffers that a connection keeps for its next call are returned when the limit requires it.
  @Test func refusedCallReturnsIdleBuffers() throws {
    let engine = try TestServer { $0.limits.mappedBytesPerUser = 40 << 20 }
    let client = try Client(socket: engine.socket)
    let other = try Client(socket: engine.socket)
    try detect(client, 20 << 20)
    try detect(other, 10 << 20)
    // The client knows of its own 20 MiB; only the engine knows of another client's.
    try detect(client, 25 << 20)
    try detect(other, 15 << 20)
    let status = #expect(throws: Status.self) { try detect(client, 41 << 20) }
    #expect(status?.code == .resourceExhausted)
    #expect(status?.message.contains("mapped_bytes_per_user") == true)
    #expect(status?.message.contains("JPEG") == false, "it is sent as a file")
    #expect(status?.message.contains("--limit mapped-bytes-per-user") == true)
  }

  /// No further call is made, but a stream has a thread.
  @Test func streamReturnsUnusedBuffers() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let log = EventLog()
    let stream = try client.openStream(StreamOptions(), deliver: log.deliver)
    _ = try stream.submit(heldImage(1, 40 << 20), timestamp: 0)
    log.wait(for: 1)
    #expect(try comesTrue { try client.stats().mappedBytes == 0 })
    _ = try stream.submit(heldImage(2, 40 << 20), timestamp: 0)
    log.wait(for: 2)
    #expect(log.marks == [1, 2])
    stream.close()
  }
}
