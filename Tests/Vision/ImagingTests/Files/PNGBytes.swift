import TestSupport

/// Changes to the bytes of a PNG file.
enum PNGBytes {
  /// The file rgb.png with another size in its header, with the right checksum.
  static func withSize(_ width: UInt32, _ height: UInt32) throws -> [UInt8] {
    var file = try Fixture.image("rgb.png")
    file.replaceSubrange(16..<24, with: bigEndian(width) + bigEndian(height))
    file.replaceSubrange(29..<33, with: bigEndian(checkSum(file[12..<29])))
    return file
  }

  /// The file `name` with a chunk inserted after its header.
  static func inserting(_ chunk: String, _ data: [UInt8], into name: String) throws -> [UInt8] {
    var file = try Fixture.image(name)
    file.insert(contentsOf: self.chunk(chunk, data), at: 33)
    return file
  }

  /// A file whose rows are stored without compression.
  /// - Parameters:
  ///   - rows: the rows with their filter bytes, in the order of the file.
  ///   - bits: the bits of a sample of red, green or blue.
  ///   - rest: the number of bytes that the compressed data has after the rows.
  static func storing(
    _ rows: [UInt8], width: Int, height: Int, bits: UInt8 = 8, isInterlaced: Bool = false, rest: Int = 0
  ) -> [UInt8] {
    let header =
      bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [bits, 2, 0, 0, isInterlaced ? 1 : 0]
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    return signature + chunk("IHDR", header)
      + chunk("IDAT", deflated(rows + Array(repeating: 0, count: rest)))
      + chunk("IEND", [])
  }

  /// Source: RFC 1950, 2.2; RFC 1951, 3.2.4.
  private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let block = bytes[start..<min(bytes.count, start + 65535)]
      let isLast = block.endIndex == bytes.count
      stream += [isLast ? 1 : 0, UInt8(block.count & 255), UInt8(block.count >> 8)]
      stream += [UInt8(~block.count & 255), UInt8(~block.count >> 8 & 255)] + block
      start = block.endIndex
    } while start < bytes.count
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return stream + bigEndian(high << 16 | low)
  }

  static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + data
    return bigEndian(UInt32(data.count)) + named + bigEndian(checkSum(named[...]))
  }

  static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Source: PNG (third edition), 5.5 "CRC algorithm".
  private static func checkSum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in sums[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
  }

  /// The CRC of each byte.
  private static let sums: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
  }
}
