package import FaceCore
package import NIOCore

/// Walks the fields of one encoded message, one level deep. Bytes are slices of the buffer that they came in, not
/// copies.
package struct ProtobufReader {
  package enum Value {
    case varint(UInt64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    case bytes(ByteBuffer)

    package var number: UInt64? { if case .varint(let value) = self { value } else { nil } }
    package var bytes: ByteBuffer? { if case .bytes(let value) = self { value } else { nil } }
    package var text: String? { bytes.map { String(buffer: $0) } }
  }

  private let message: ByteBuffer
  private var scanner: ProtobufScanner

  package init(_ message: ByteBuffer) {
    self.message = message
    scanner = ProtobufScanner(0..<message.readableBytes, of: "message")
  }

  /// The next field; `nil` at the end. Throws `invalidArgument` for bytes that are not a message.
  package mutating func next() throws(Status) -> (number: Int, value: Value)? {
    let message = message
    guard let field = try scanner.next(message.readableBytesUInt8Span) else { return nil }
    let value: Value =
      switch field.value {
      case .varint(let value): .varint(value)
      case .fixed64(let value): .fixed64(value)
      case .fixed32(let value): .fixed32(value)
      case .bytes(let range): .bytes(slice(range))
      }
    return (field.number, value)
  }

  /// The fields of a message by their numbers; of a field that comes twice the last one.
  package static func fields(of message: ByteBuffer) throws(Status) -> [Int: Value] {
    var fields: [Int: Value] = [:]
    var reader = ProtobufReader(message)
    while let field = try reader.next() { fields[field.number] = field.value }
    return fields
  }

  /// The bytes, with its number, of the field that was read since `earlier`, a copy of this reader.
  package func field(since earlier: ProtobufReader) -> ByteBuffer {
    slice(earlier.scanner.offset..<scanner.offset)
  }

  /// The next number when reading a packed field, which contains nothing else; `nil` at the end.
  package mutating func nextPacked() throws(Status) -> UInt64? {
    let message = message
    return try scanner.nextPacked(message.readableBytesUInt8Span)
  }

  private func slice(_ range: Range<Int>) -> ByteBuffer {
    message.getSlice(at: message.readerIndex + range.lowerBound, length: range.count) ?? ByteBuffer()
  }
}
