package import NIOCore

/// Appends the fields of one message. Numbers of 0 and empty texts are left out, as in proto3.
package struct ProtobufWriter {
  package private(set) var bytes: ByteBuffer

  /// - Parameter start: the bytes before the message.
  package init(after start: ByteBuffer = ByteBuffer()) {
    bytes = start
  }

  package mutating func varint(_ number: Int, _ value: UInt64) {
    if value != 0 { present(number, value) }
  }

  /// Writes a number, 0 as well.
  package mutating func present(_ number: Int, _ value: UInt64) {
    raw(UInt64(number) << 3)
    raw(value)
  }

  /// Writes a field as it is in another message.
  package mutating func field(_ encoded: ByteBuffer) { bytes.writeImmutableBuffer(encoded) }

  package mutating func field(_ encoded: UnsafeRawBufferPointer) { bytes.writeBytes(encoded) }

  package mutating func boolean(_ number: Int, _ value: Bool) { varint(number, value ? 1 : 0) }

  package mutating func text(_ number: Int, _ value: String) {
    if value.isEmpty { return }
    prefix(number, value.utf8.count)
    bytes.writeString(value)
  }

  package mutating func bytes(_ number: Int, _ value: ByteBuffer) {
    prefix(number, value.readableBytes)
    bytes.writeImmutableBuffer(value)
  }

  package mutating func bytes(_ number: Int, _ value: [UInt8]) {
    prefix(number, value.count)
    bytes.writeBytes(value)
  }

  package mutating func message(_ number: Int, _ body: (inout ProtobufWriter) -> Void) {
    var inner = ProtobufWriter()
    body(&inner)
    bytes(number, inner.bytes)
  }

  /// Writes a list of numbers as one field.
  package mutating func packed(_ number: Int, _ values: [Int64]) {
    if values.isEmpty { return }
    var inner = ProtobufWriter()
    for value in values { inner.raw(UInt64(bitPattern: value)) }
    bytes(number, inner.bytes)
  }

  /// Writes the tag and length of a field whose bytes come next.
  package mutating func prefix(_ number: Int, _ count: Int) {
    raw(UInt64(number) << 3 | 2)
    raw(UInt64(count))
  }

  private mutating func raw(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.writeInteger(UInt8(rest))
  }
}
