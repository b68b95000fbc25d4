import Capture
import FaceCore
import TestSupport
import Testing

/// Y4M streams, compared with a reader that has the whole stream in memory.
@Suite struct Y4MSourceTests {
  private static func record(_ bytes: [UInt8], _ sizes: [Int] = [.max]) throws -> SourceRecord {
    try SourceRecord(Y4MSource(ByteReader(ChunkedBytes(bytes, sizes)), SourceRecord.heap))
  }

  private static func stream(
    _ header: String, _ frames: Int, _ byteCount: Int, frameHeader: String = "FRAME", seed: UInt64 = 1
  ) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var bytes = Array(header.utf8) + [0x0A]
    for _ in 0..<frames {
      bytes += Array(frameHeader.utf8) + [0x0A]
      for _ in 0..<byteCount { bytes.append(UInt8.random(in: .min ... .max, using: &generator)) }
    }
    return bytes
  }

  @Test(arguments: [
    ("W16 H16 F30:1 Ip A1:1 C420jpeg XYSCSS=420JPEG", 16, 16, false), ("W18 H16", 18, 16, false),
    ("W17 H19 F25:1 C420mpeg2", 17, 19, false), ("W16 H18 C420paldv", 16, 18, false),
    ("W20 H16 C420 It", 20, 16, false), ("W17 H16 Cmono F0:0", 17, 16, true),
  ])
  func framesAreThoseOfTheNaiveReader(fields: String, width: Int, height: Int, isMono: Bool) throws {
    let chroma = isMono ? 0 : 2 * ((width + 1) / 2) * ((height + 1) / 2)
    let bytes = Self.stream("YUV4MPEG2 \(fields)", 5, width * height + chroma)
    let expected = try #require(NaiveY4M.frames(bytes, width, height, isMono: isMono))
    #expect(expected.count == 5)
    // Pieces as a pipe may deliver them: everything at once, byte by byte, and sizes that match nothing.
    for sizes in [[Int.max], [1], [7], [4096], [1, 300, 2]] {
      let record = try Self.record(bytes, sizes)
      #expect(record.failure == nil)
      #expect(record.frames == expected)
    }
  }

  @Test func timestampsAreThoseOfTheRate() throws {
    let bytes = Self.stream("YUV4MPEG2 W16 H16 F30000:1001", 4, 384)
    let record = try Self.record(bytes)
    #expect(record.origins.map(\.timestamp) == [0, 33_366_666, 66_733_333, 100_100_000])
    // An unknown rate is read as 30.
    let unknown = try Self.record(Self.stream("YUV4MPEG2 W16 H16 F0:0", 2, 384))
    #expect(unknown.origins.map(\.timestamp) == [0, 33_333_333])
  }

  @Test func frameParametersArePassedOver() throws {
    let record = try Self.record(
      Self.stream("YUV4MPEG2 W16 H16", 3, 384, frameHeader: "FRAME Ipp XSOMETHING"))
    #expect(record.failure == nil && record.frames.count == 3)
  }

  @Test func fullRangeIsToldByFFmpeg() throws {
    func colour(_ fields: String) throws -> YUVColour {
      try Y4MHeader(Array("YUV4MPEG2 W16 H16 \(fields)".utf8)).layout.colour
    }
    #expect(try colour("XCOLORRANGE=FULL") == .bt601Full)
    #expect(try colour("XCOLORRANGE=LIMITED") == .bt601Video)
    #expect(try colour("XYSCSS=420JPEG") == .bt601Video)
  }

  @Test(arguments: [
    ("YUV4MPEG W16 H16", "does not begin with YUV4MPEG2"), ("", "does not begin"),
    ("YUV4MPEG2", "no field W"), ("YUV4MPEG2 W16", "no field H"), ("YUV4MPEG2 W16 H", "size H"),
    ("YUV4MPEG2 W16 H-16", "size H-16"), ("YUV4MPEG2 W+16 H16", "size W+16"),
    ("YUV4MPEG2 W0 H16", "size W0"), ("YUV4MPEG2 W16 W16 H16", "W twice"),
    ("YUV4MPEG2 W16 H99999999999", "size H99999999999"), ("YUV4MPEG2 W16 H16 F30", "rate F30"),
    ("YUV4MPEG2 W16 H16 F30:0", "rate F30:0"), ("YUV4MPEG2 W16 H16 F1:2:3", "rate F1:2:3"),
    ("YUV4MPEG2 W16 H16 C444", "C444"), ("YUV4MPEG2 W16 H16 C422", "-pix_fmt yuv420p"),
    ("YUV4MPEG2 W16 H16 C420p10", "C420p10"), ("YUV4MPEG2 W16 H16 Iq", "interlacing Iq"),
    ("YUV4MPEG2 W16 H16 A1", "pixel shape A1"), ("YUV4MPEG2 W16 H16 Q1", "field Q"),
    ("YUV4MPEG2 W8 H16", "16…16384"), ("YUV4MPEG2 W4294967295 H4294967295", "16…16384"),
    ("YUV4MPEG2 W16 H20000", "16…16384"),
  ])
  func aWrongHeaderIsNamed(header: String, part: String) throws {
    let record = try Self.record(Self.stream(header, 1, 384))
    #expect(record.frames.isEmpty)
    #expect(record.failure?.message.contains(part) == true, "\(record.failure?.message ?? "none")")
  }

  @Test func binaryBytesAreNoHeader() throws {
    #expect(try Self.record([0xFF, 0xFE, 0x0A]).failure?.code == .invalidArgument)
    // Bytes of a picture may not contain a line feed.
    let noise = [UInt8](repeating: 0xAA, count: 10_000)
    let failure = try Self.record(noise).failure
    #expect(failure?.message.contains("longer than 2048 bytes") == true)
  }

  /// A truncated stream gives its complete frames and, unless it ends between two frames, an error with the
  /// place.
  @Test func truncatedStreamIsReported() throws {
    let header = "YUV4MPEG2 W16 H16"
    let bytes = Self.stream(header, 2, 384)
    let frame = "FRAME\n".utf8.count + 384
    let start = header.utf8.count + 1
    for length in 0...bytes.count {
      let record = try Self.record(Array(bytes.prefix(length)), [97])
      let whole = max(0, length - start) / frame
      #expect(record.frames.count == whole)
      let isClean = length >= start && (length - start) % frame == 0
      #expect((record.failure == nil) == isClean, "at \(length)")
      if !isClean, length >= start { #expect(record.failure?.code == .dataLoss) }
    }
  }

  @Test func frameOfTheWrongSizeIsReported() throws {
    // A header that is wrong by one row.
    let record = try Self.record(Self.stream("YUV4MPEG2 W16 H17", 3, 384))
    #expect(record.failure?.message.contains("does not begin with FRAME") == true)
    #expect(record.frames.count == 1)
  }
}

/// A reader of a whole stream in memory. It skips the header, whose contents are given.
private enum NaiveY4M {
  static func frames(_ bytes: [UInt8], _ width: Int, _ height: Int, isMono: Bool) -> [[[UInt8]]]? {
    guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
    var rest = bytes[(end + 1)...]
    let chroma = ((width + 1) / 2) * ((height + 1) / 2)
    var frames: [[[UInt8]]] = []
    while let line = rest.firstIndex(of: 0x0A) {
      rest = rest[(line + 1)...]
      var planes: [[UInt8]] = []
      for size in isMono ? [width * height] : [width * height, chroma, chroma] {
        guard rest.count >= size else { return nil }
        planes.append(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      frames.append(planes)
    }
    return frames
  }
}
