/// Writes the fields of a protobuf message, one after the other.
/// Source: Protocol Buffers documentation, "Encoding".
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  /// Appends a field as it was read.
  /// - Parameter source: the bytes that it was read from.
  mutating func append(_ field: ProtobufReader.Field, of source: [UInt8]) {
    switch field.value {
    case .varint(let value): append(field.number, value)
    case .fixed32(let value): appendWord(field.number << 3 | 5, value)
    case .fixed64(let value): appendWord(field.number << 3 | 1, value)
    case .bytes(let range): append(field.number, source[range])
    }
  }

  mutating func append(_ number: UInt64, _ value: UInt64) {
    appendVarint(number << 3)
    appendVarint(value)
  }

  /// Appends a text, or a message.
  mutating func append(_ number: UInt64, _ content: some Collection<UInt8>) {
    appendVarint(number << 3 | 2)
    appendVarint(UInt64(content.count))
    bytes += content
  }

  /// Appends a message that `body` writes.
  mutating func append(_ number: UInt64, _ body: (inout ProtobufWriter) -> Void) {
    var message = ProtobufWriter()
    body(&message)
    append(number, message.bytes)
  }

  private mutating func appendWord<Word: FixedWidthInteger>(_ key: UInt64, _ word: Word) {
    appendVarint(key)
    withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
  }

  private mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
