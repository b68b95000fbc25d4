import Capture
import FaceCore
import Posix
import TestSupport
import Testing

/// NUT streams of raw frames, written here as ffmpeg writes them: nut.txt of the NUT project, version 3.
@Suite struct NUTSourceTests {
  /// A stream of frames of 16 × 16 pixels with these times, in ticks of 1/705600000 s.
  private struct Stream {
    static let pixelBytes = 384
    var bytes = Array("nut/multimedia container\0".utf8)
    /// Where each frame ends.
    var ends: [Int] = []
    var pixels: [[UInt8]] = []

    init(_ times: [UInt64], shape: (UInt64, UInt64) = (0, 0), rate: String? = nil, prefix: [UInt8] = []) {
      var main: [UInt8] = [3, 1] + Self.number(65_536) + [1, 1] + Self.number(705_600_000)
      // One kind of frame for all bytes but N: everything is coded in the frame.
      main += Self.number(4096) + [6, 0, 1, 0, 0, 0] + Self.number(255)
      main += prefix.isEmpty ? [0] : [1, UInt8(prefix.count)] + prefix
      packet(0x4E4D_7A56_1F5F_04AD, main)
      var stream: [UInt8] = [0, 0, 4] + Array("I420".utf8) + [0, 14, 1, 0, 0, 0, 16, 16]
      stream += Self.number(shape.0) + Self.number(shape.1) + [0]
      packet(0x4E53_1140_5BF2_F9DB, stream)
      if let rate {
        // Before it a value with a type of its own, and a number.
        var info: [UInt8] = [1, 0, 0, 0, 3, 1, 0x61, 4, 1, 0x62, 2, 0x63, 0x64, 1, 0x65, 9]
        info += [12] + Array("r_frame_rate".utf8) + [2, UInt8(rate.utf8.count)] + Array(rate.utf8)
        packet(0x4E49_AB68_B596_BA78, info)
      }
      var generator = SeededGenerator(seed: 5)
      for (index, time) in times.enumerated() {
        if index % 3 == 0 {
          packet(0x4E4B_E4AD_EECA_4569, Self.number(index == 0 ? time : times[index - 1]) + [0])
        }
        var own = (0..<Self.pixelBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        own.replaceSubrange(0..<prefix.count, with: prefix)
        pixels.append(own)
        // Each kind of frame has one byte more than the one before; the coded size is the rest.
        // Flags: coded time 8, coded size 32, checksum 64, prefix 1024.
        bytes += [UInt8(index % 70)] + Self.number(prefix.isEmpty ? 104 : 104 | 1024)
        bytes += Self.number(1 << 14 + time) + Self.number(UInt64(Self.pixelBytes - index % 70))
        if !prefix.isEmpty { bytes.append(1) }
        bytes += [1, 2, 3, 4] + own.dropFirst(prefix.count)
        ends.append(bytes.count)
      }
    }

    static func number(_ value: UInt64) -> [UInt8] {
      var parts = [UInt8(value & 0x7F)]
      var rest = value >> 7
      while rest > 0 {
        parts.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      return parts
    }

    private mutating func packet(_ code: UInt64, _ contents: [UInt8]) {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: code >> UInt64(56 - 8 * $0)) }
      bytes += Self.number(UInt64(contents.count + 4)) + contents + [1, 2, 3, 4]
    }

    /// The planes of the frames.
    var planes: [[[UInt8]]] {
      pixels.map { [Array($0[..<256]), Array($0[256..<320]), Array($0[320...])] }
    }
  }

  private static func record(_ bytes: [UInt8], _ sizes: [Int] = [.max]) throws -> SourceRecord {
    try SourceRecord(NUTSource(ByteReader(ChunkedBytes(bytes, sizes)), SourceRecord.heap))
  }

  private static let tick: UInt64 = 705_600

  @Test(arguments: [[], [0, 0, 1], [255, 250]] as [[UInt8]])
  func framesAreThoseOfTheStream(prefix: [UInt8]) throws {
    let times: [UInt64] = [7, 40, 41, 90, 5000].map { $0 * Self.tick }
    let stream = Stream(times, prefix: prefix)
    for sizes in [[Int.max], [1], [7], [4096], [1, 300, 2]] {
      let record = try Self.record(stream.bytes, sizes)
      #expect(record.failure == nil && record.frames == stream.planes)
      #expect(record.origins.map(\.timestamp) == [0, 33, 34, 83, 4993].map { $0 * 1_000_000 })
    }
  }

  /// ffmpeg gives a frame whose time is not after the one before the time of the next tick.
  @Test func timesAlwaysIncrease() throws {
    let times: [UInt64] = [100, 200, 150, 200, 201, 300].map { $0 * Self.tick } + [300 * Self.tick + 1]
    let source = NUTSource(ByteReader(ChunkedBytes(Stream(times).bytes, [.max])), SourceRecord.heap)
    let found = try SourceRecord(source).origins.map(\.timestamp)
    #expect(found == [0, 100_000_000, 100_000_001, 100_000_002, 101_000_000, 200_000_000, 200_000_001])
    #expect(source.untimedCount == 3)
  }

  @Test(
    arguments: [
      ((64, 45), "25/1", 64, 25), ((376, 375), "30000/1001", nil, 30000), ((0, 1), "1000/1", nil, nil),
      ((1, 100), "x", nil, nil),
    ] as [((UInt64, UInt64), String, UInt32?, UInt32?)])
  func shapeAndRateAreThoseOfTheHeaders(
    shape: (UInt64, UInt64), rate: String, width: UInt32?, numerator: UInt32?
  ) throws {
    let source = NUTSource(
      ByteReader(ChunkedBytes(Stream([0], shape: shape, rate: rate).bytes, [.max])), SourceRecord.heap)
    let frame = try #require(try source.next(or: try Interruption()).frame)
    #expect(frame.shape?.width == width && frame.rate?.numerator == numerator)
  }

  /// A truncated stream gives its complete frames and, unless it ends between two, an error.
  @Test func truncatedStreamIsReported() throws {
    let stream = Stream([0, 1, 2].map { $0 * Self.tick })
    for length in 0...stream.bytes.count {
      let record = try Self.record(Array(stream.bytes.prefix(length)), [97])
      #expect(record.frames.count == stream.ends.count { $0 <= length }, "at \(length)")
      if record.failure != nil { #expect(record.failure?.code == .dataLoss) }
      if stream.ends.contains(length) { #expect(record.failure == nil) }
    }
  }
}
