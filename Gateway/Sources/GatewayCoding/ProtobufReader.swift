package import FaceCore
package import NIOCore

/// Walks the fields of one encoded message, one level deep. Bytes are slices, not copies.
///
/// Apart from the wire's own, which scans bytes that lie still: these stay in the buffer of NIO that they
/// came in, and go on in slices of it that keep it alive.
///
/// Source: "Protocol Buffers: Encoding".
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

  private var rest: ByteBuffer

  package init(_ message: ByteBuffer) {
    rest = message
  }

  /// The next field; `nil` at the end. Throws `invalidArgument` for bytes that are not a message.
  package mutating func next() throws(Status) -> (number: Int, value: Value)? {
    guard rest.readableBytes > 0 else { return nil }
    let tag = try varint()
    guard let number = Int(exactly: tag >> 3), (1...0x1fff_ffff).contains(number) else {
      throw malformed("a field has the number \(tag >> 3)")
    }
    switch tag & 7 {
    case 0: return (number, .varint(try varint()))
    case 1:
      guard let value = rest.readInteger(endianness: .little, as: UInt64.self) else { break }
      return (number, .fixed64(value))
    case 5:
      guard let value = rest.readInteger(endianness: .little, as: UInt32.self) else { break }
      return (number, .fixed32(value))
    case 2:
      let length = try varint()
      guard length <= UInt64(rest.readableBytes), let bytes = rest.readSlice(length: Int(length)) else {
        throw malformed("field \(number) has \(length) bytes and only \(rest.readableBytes) are left")
      }
      return (number, .bytes(bytes))
    default: throw malformed("field \(number) has the wire type \(tag & 7)")
    }
    throw malformed("it ends inside a number")
  }

  /// The bytes, with its number, of the field that was read since `earlier`, a copy of this reader.
  package func field(since earlier: ProtobufReader) -> ByteBuffer {
    let start = earlier.rest.readerIndex
    return earlier.rest.getSlice(at: start, length: rest.readerIndex - start) ?? ByteBuffer()
  }

  /// The next number when reading a packed field, which contains nothing else; `nil` at the end.
  package mutating func nextPacked() throws(Status) -> UInt64? {
    rest.readableBytes > 0 ? try varint() : nil
  }

  private mutating func varint() throws(Status) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte: UInt8 = rest.readInteger() {
      // The tenth byte holds the one remaining bit.
      if shift == 63, byte > 1 { throw malformed("a number has more than 64 bits") }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw malformed("it ends inside a number")
  }

  private func malformed(_ what: String) -> Status {
    Status(.invalidArgument, "the message is malformed: \(what); encode it with a protobuf library")
  }
}
