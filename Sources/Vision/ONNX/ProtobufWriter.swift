import FaceCore

/// Writes the fields of a protobuf message, one after the other.
/// Source: Protocol Buffers documentation, "Encoding".
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  /// Appends a field as it was read.
  /// - Parameter source: the bytes that it was read from.
  mutating func append(_ field: ProtobufScanner.Field, of source: [UInt8]) {
    switch field.value {
    case .varint(let value): append(field.number, value)
    case .fixed32(let value): appendWord(field.number, 5, value)
    case .fixed64(let value): appendWord(field.number, 1, value)
    case .bytes(let range): append(field.number, source[range])
    }
  }

  mutating func append(_ number: Int, _ value: UInt64) {
    appendKey(number, 0)
    appendVarint(value)
  }

  /// Appends a text, or a message.
  mutating func append(_ number: Int, _ content: some Collection<UInt8>) {
    appendKey(number, 2)
    appendVarint(UInt64(content.count))
    bytes += content
  }

  mutating func append(_ number: Int, _ body: (inout ProtobufWriter) -> Void) {
    var message = ProtobufWriter()
    body(&message)
    append(number, message.bytes)
  }

  private mutating func appendWord<Word: FixedWidthInteger>(_ number: Int, _ type: UInt64, _ word: Word) {
    appendKey(number, type)
    withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
  }

  private mutating func appendKey(_ number: Int, _ type: UInt64) {
    appendVarint(UInt64(number) << 3 | type)
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
