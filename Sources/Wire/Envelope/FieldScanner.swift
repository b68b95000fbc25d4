import FaceCore

/// A field of an encoded message, where it lies.
struct Field: Equatable {
  enum Value: Equatable {
    case varint(UInt64)
    case fixed64
    case fixed32
    /// Positions in the bytes that were scanned.
    case bytes(Range<Int>)
  }

  var number: UInt32
  var value: Value
}

/// Walks the fields of one message without copying, one level deep.
///
/// So are read the envelope and messages around images, which are large; all others go through protobuf-c.
/// Source: "Protocol Buffers: Encoding".
struct FieldScanner {
  private var offset: Int
  private let end: Int
  private let name: StaticString

  /// Over `bytes[range]`, which must lie inside what `next` is given.
  /// - Parameter name: of the message, for people.
  init(_ range: Range<Int>, of name: StaticString) {
    offset = range.lowerBound
    end = range.upperBound
    self.name = name
  }

  /// The next field, `nil` at the end. Throws `invalidArgument` for bytes that are no message.
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
      // The tenth byte holds the one bit that is left.
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
