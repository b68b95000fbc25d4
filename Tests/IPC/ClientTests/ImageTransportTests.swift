import Client
import FaceCore
import Foundation
import Posix
import Service
import ServiceTestSupport
import Testing

/// Large images go through shared memory, offered once and used again.
@Suite struct ImageTransportTests {
  @Test(arguments: PixelFormat.packed)
  func frameBeyondAMessageArrivesWhole(format: PixelFormat) throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let (width, height) = (1920, 1080)
    // A gap after each row, which does not travel.
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
    // One buffer for three frames: their pixels, rounded up.
    let pixels = UInt64(width * format.rowBytes(plane: 0, width: 1) * height)
    let mapped = try client.stats().mappedBytes
    #expect(mapped >= pixels && mapped < pixels + 512 << 10)
  }

  @Test func buffersGoWithTheConnection() throws {
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

  /// More sizes than buffers: one that is too small makes room for a larger one.
  @Test func moreSizesThanBuffers() throws {
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

  @Test func refusedBuffersLeaveTheMessage() throws {
    let engine = try TestServer { $0.limits.mappedBytesPerUser = 300_000 }
    let client = try Client(socket: engine.socket)
    let other = try Client(socket: engine.socket)
    // Each may think that there is room; the user has it once.
    for client in [client, other, client] {
      let data = [UInt8](repeating: 3, count: 200_000)
      try data.withUnsafeBytes { bytes in
        let result = try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions())
        #expect(result.imageSize.width == 200_000)
      }
    }
  }

  /// Calls that ran out of time leave buffers which the engine may still read; they are taken back, not lost.
  @Test func lateCallsUseUpNoBuffers() throws {
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
    // A worker that still reads an old one holds its place for a moment.
    let width = data.withUnsafeBytes { bytes in
      eventually {
        try? client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions()).imageSize.width
      }
    }
    #expect(width == data.count)
  }

  /// Too large for a message, and fewer buffers than callers: each waits for its turn.
  @Test func moreCallersThanBuffers() throws {
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

/// Of the memory that a user's programs share, nobody holds for long what it does not use.
@Suite struct IdleMemoryTests {
  private func detect(_ client: Client, _ size: Int) throws {
    try [UInt8](repeating: 3, count: size).withUnsafeBytes { bytes in
      let result = try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions())
      #expect(result.imageSize.width == size)
    }
  }

  @Test func whatIsLargeIsReturnedAtOnce() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let other = try Client(socket: engine.socket)
    try detect(client, 100 << 20)
    #expect(try comesTrue { try other.stats().mappedBytes == 0 })
    try detect(other, 100 << 20)
    // Whoever calls with what is small keeps that.
    try detect(client, 5 << 20)
    try detect(client, 5 << 20)
    #expect(try comesTrue { try other.stats().mappedBytes == 5 << 20 })
  }

  @Test func whatWasNotUsedForASecondIsReturnedByTheNextCall() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let other = try Client(socket: engine.socket)
    try detect(client, 20 << 20)
    #expect(try other.stats().mappedBytes == 20 << 20)
    // It is not taken for what is much smaller, which would keep it in use.
    try detect(client, 1 << 20)
    CurrentProcess.sleep(nanoseconds: 1_050_000_000)
    try detect(client, 1 << 20)
    #expect(try comesTrue { try other.stats().mappedBytes == 1 << 20 })
  }

  /// What a connection keeps for its next call is returned when the limit needs it.
  @Test func aRefusedCallReturnsWhatItKept() throws {
    let engine = try TestServer { $0.limits.mappedBytesPerUser = 40 << 20 }
    let client = try Client(socket: engine.socket)
    let other = try Client(socket: engine.socket)
    try detect(client, 20 << 20)
    try detect(other, 10 << 20)
    // The client knows of the 20 that it has itself; of another's, the engine alone.
    try detect(client, 25 << 20)
    try detect(other, 15 << 20)
    let status = #expect(throws: Status.self) { try detect(client, 41 << 20) }
    #expect(status?.code == .resourceExhausted)
    #expect(status?.message.contains("mapped_bytes_per_user") == true)
    #expect(status?.message.contains("--limit mapped-bytes-per-user") == true)
  }

  /// Nobody calls any more, but a stream has a thread.
  @Test func aStreamReturnsWhatItDoesNotUse() throws {
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
