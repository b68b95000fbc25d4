import Client
import FaceCore
import Foundation
import Service
import ServiceTestSupport
import Testing

/// Large images go through shared memory, offered once and used again.
@Suite struct SharedImageTests {
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
    for _ in 0..<200 where try other.stats().mappedBytes > 0 { usleep(10_000) }
    #expect(try other.stats().mappedBytes == 0)
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
          try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions(), timeout: 20_000_000)
        }
      }
      #expect(late?.code == .deadlineExceeded || late?.code == .resourceExhausted)
      engine.detector.release()
    }
    // A worker that still reads an old one holds its place for a moment.
    let width = data.withUnsafeBytes { bytes in
      for _ in 0..<500 {
        if let result = try? client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions()) {
          return result.imageSize.width
        }
        usleep(10_000)
      }
      return 0
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
