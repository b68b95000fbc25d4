import TestSupport

/// Changes to the bytes of a PNG file.
enum PNGBytes {
  /// rgb.png with another size in its header, whose check sum is right.
  static func withSize(_ width: UInt32, _ height: UInt32) throws -> [UInt8] {
    var file = try Fixture.image("rgb.png")
    file.replaceSubrange(16..<24, with: bigEndian(width) + bigEndian(height))
    file.replaceSubrange(29..<33, with: bigEndian(checkSum(file[12..<29])))
    return file
  }

  /// `name` with a chunk put after its header.
  static func inserting(_ chunk: String, _ data: [UInt8], into name: String) throws -> [UInt8] {
    var file = try Fixture.image(name)
    let named = Array(chunk.utf8) + data
    file.insert(contentsOf: bigEndian(UInt32(data.count)) + named + bigEndian(checkSum(named[...])), at: 33)
    return file
  }

  static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Source: PNG (third edition), 5.5 "CRC algorithm".
  private static func checkSum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
    }
  }
}
