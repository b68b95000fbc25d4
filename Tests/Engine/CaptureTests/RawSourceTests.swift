import Capture
import FaceCore
import Posix
import TestSupport
import Testing

@Suite struct RawSourceTests {
  /// Rows with gaps and planes one after the other, as a program has them in memory.
  @Test(arguments: [
    (PixelFormat.nv12, 0), (.nv12, 40), (.i420, 0), (.i420, 37), (.yuyv, 80), (.uyvy, 80), (.nv16, 0),
    (.nv16, 41), (.rgb, 100), (.gray, 0),
  ])
  func streamIsSplitIntoFramesByTheirLength(format: PixelFormat, stride: Int) throws {
    let layout = PixelLayout(format: format, width: 18, height: 17, stride: stride)
    var generator = SeededGenerator(seed: 3)
    let bytes = (0..<3 * layout.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    let expected = try (0..<3).map { index in
      let frame = Array(bytes[index * layout.byteCount..<(index + 1) * layout.byteCount])
      return try frame.withUnsafeBytes { bytes in
        let view = try layout.view(of: bytes)
        return SourceRecord.bytes(
          CapturedFrame(.pixels(view), FrameOrigin(timestamp: 0), rate: nil, owner: Owner()))
      }
    }
    for sizes in [[Int.max], [1], [1000, 3]] {
      let source = RawSource(
        ByteReader(ChunkedBytes(bytes, sizes)), layout, rate: FrameRate(25), SourceRecord.heap)
      let record = try SourceRecord(source)
      #expect(record.failure == nil)
      #expect(record.frames == expected)
      #expect(record.origins.map(\.timestamp) == [0, 40_000_000, 80_000_000])
    }
  }

  @Test func truncatedFrameIsReportedWithItsPlace() throws {
    let layout = PixelLayout(format: .gray, width: 16, height: 16)
    let bytes = [UInt8](repeating: 1, count: 256 + 255)
    let source = RawSource(ByteReader(ChunkedBytes(bytes, [64])), layout, rate: nil, SourceRecord.heap)
    let record = try SourceRecord(source)
    #expect(record.frames.count == 1)
    #expect(record.failure?.message.contains("after 255 of the 256 bytes of frame 2") == true)
  }

  @Test func invalidLayoutsAreRefused() {
    for (width, height, stride) in [
      (8, 16, 0), (16, 16, 15), (16, 16, 1 << 20), (16, 16, -1), (20_000, 16, 0),
    ] {
      #expect(
        failure { () throws(Status) in
          try PixelLayout(format: .gray, width: width, height: height, stride: stride).validate()
        } != nil)
    }
  }

  /// Memory is reused: no more is allocated than is held at once.
  @Test func frameMemoryIsReused() throws {
    let layout = PixelLayout(format: .gray, width: 16, height: 16)
    let made = Tally()
    let source = RawSource(
      ByteReader(ChunkedBytes([UInt8](repeating: 0, count: 256 * 20), [.max])), layout, rate: nil
    ) { (size) throws(Status) in
      made.add()
      return try HeapFrameMemory(byteCount: size)
    }
    let interruption = try Interruption()
    var held: CapturedFrame?
    for _ in 0..<20 {
      held = try source.next(or: interruption).frame
      #expect(held != nil)
    }
    withExtendedLifetime(held) {}
    #expect(made.value <= 3)
  }

  @Test func timesDoNotOverflow() throws {
    let rate = try #require(FrameRate(1, .max))
    #expect(rate.time(ofFrame: .max) == .max)
    #expect(rate.time(ofFrame: 1 << 20) == .max)
    #expect(FrameRate(0, 1) == nil && FrameRate(1, 0) == nil)
    #expect(try #require(FrameRate(60)).time(ofFrame: 60 * 86_400 * 365) == 86_400 * 365 * 1_000_000_000)
  }
}

final class Owner {}
