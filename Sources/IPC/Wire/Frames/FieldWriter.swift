/// Computes the sizes, and writes the bytes, of the few kinds of field in the envelope.
enum FieldWriter {
  static func varintSize(_ value: UInt64) -> Int {
    max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
  }

  /// The size of a length-delimited field with a number below 16; proto3 leaves out empty ones.
  static func bytesSize(_ count: Int) -> Int {
    count == 0 ? 0 : fieldSize(count)
  }

  /// The same, if empty ones are there, too.
  static func fieldSize(_ count: Int) -> Int { 1 + varintSize(UInt64(count)) + count }

  static func integerSize(_ value: Int64) -> Int {
    value == 0 ? 0 : 1 + varintSize(UInt64(bitPattern: value))
  }

  static func varint(_ value: UInt64, to output: inout OutputSpan<UInt8>) {
    var rest = value
    while rest >= 0x80 {
      output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    output.append(UInt8(rest))
  }

  static func integer(_ number: UInt8, _ value: Int64, to output: inout OutputSpan<UInt8>) {
    if value == 0 { return }
    output.append(number << 3)
    varint(UInt64(bitPattern: value), to: &output)
  }

  /// Writes the tag and length of a field; its `count` bytes, at least one, come next.
  static func prefix(_ number: UInt8, _ count: Int, to output: inout OutputSpan<UInt8>) {
    output.append(number << 3 | 2)
    varint(UInt64(count), to: &output)
  }

  static func string(_ number: UInt8, _ value: String, to output: inout OutputSpan<UInt8>) {
    if value.isEmpty { return }
    prefix(number, value.utf8.count, to: &output)
    for byte in value.utf8 { output.append(byte) }
  }
}
