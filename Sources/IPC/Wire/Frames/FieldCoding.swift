import FaceCore

/// A field of an encoded message, as a position in its bytes.
struct Field: Equatable {
  enum Value: Equatable {
    case varint(UInt64)
    case fixed64
    case fixed32
    /// The position in the scanned bytes.
    case bytes(Range<Int>)
  }

  var number: UInt32
  var value: Value
}

/// Walks the fields of one message without copying, one level deep.
///
/// It reads envelopes and the messages around images, which protobuf-c would copy; protobuf-c reads all
/// others. Source: "Protocol Buffers: Encoding".
struct FieldScanner {
  private var offset: Int
  private let end: Int
  private let name: StaticString

  /// Scans `bytes[range]`, which must lie inside the bytes given to `next`.
  /// - Parameter name: the message's name for error messages.
  init(_ range: Range<Int>, of name: StaticString) {
    offset = range.lowerBound
    end = range.upperBound
    self.name = name
  }

  /// The next field; `nil` at the end. Throws `invalidArgument` for bytes that are not a message.
  mutating func next(_ bytes: Span<UInt8>) throws(Status) -> Field? {
    guard offset < end else { return nil }
    let tag = try varint(bytes)
    guard let number = UInt32(exactly: tag >> 3), (1...0x1fff_ffff).contains(number) else {
      throw malformed("a field has the number \(tag >> 3)")
    }
    switch tag & 7 {
    case 0: return Field(number: number, value: .varint(try varint(bytes)))
    case 1: return Field(number: number, value: try skip(8, .fixed64))
    case 5: return Field(number: number, value: try skip(4, .fixed32))
    case 2:
      let length = try varint(bytes)
      guard length <= UInt64(end - offset) else {
        throw malformed("field \(number) has \(length) bytes and only \(end - offset) are left")
      }
      let start = offset
      offset += Int(length)
      return Field(number: number, value: .bytes(start..<offset))
    default: throw malformed("field \(number) has the wire type \(tag & 7)")
    }
  }

  private mutating func skip(_ count: Int, _ value: Field.Value) throws(Status) -> Field.Value {
    guard count <= end - offset else { throw malformed("it ends inside a number") }
    offset += count
    return value
  }

  private mutating func varint(_ bytes: Span<UInt8>) throws(Status) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < end {
      let byte = bytes[offset]
      offset += 1
      // The tenth byte holds the one remaining bit.
      if shift == 63, byte > 1 { throw malformed("a number has more than 64 bits") }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw malformed("it ends inside a number")
  }

  func malformed(_ what: String) -> Status {
    Status(.invalidArgument, "the \(name) is malformed: \(what); encode it with a protobuf library")
  }
}

/// Computes the sizes, and writes the bytes, of the few kinds of field in the envelope.
enum FieldWriter {
  static func varintSize(_ value: UInt64) -> Int {
    max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
  }

  /// The size of a length-delimited field with a number below 16; proto3 leaves out empty ones.
  static func bytesSize(_ count: Int) -> Int {
    count == 0 ? 0 : 1 + varintSize(UInt64(count)) + count
  }

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
