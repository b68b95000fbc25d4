/// Walks the fields of one protobuf message, one level deep, as positions in its untrusted bytes.
///
/// Source: Protocol Buffers documentation, "Encoding".
public struct ProtobufScanner {
  public enum Value {
    case varint(UInt64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    /// The position of a text, a message or a packed list in the scanned bytes.
    case bytes(Range<Int>)
  }

  public typealias Field = (number: Int, value: Value)

  /// The position of the next field.
  public private(set) var offset: Int
  private let end: Int
  private let name: StaticString

  /// Scans `bytes[range]`, which must lie inside the bytes given to `next`.
  /// - Parameter name: the message's name for error messages.
  public init(_ range: Range<Int>, of name: StaticString) {
    offset = range.lowerBound
    end = range.upperBound
    self.name = name
  }

  /// The next field; `nil` at the end. Throws `invalidArgument` for bytes that are not a message.
  public mutating func next(_ bytes: Span<UInt8>) throws(Status) -> Field? {
    guard offset < end else { return nil }
    let tag = try varint(bytes)
    guard let number = Int(exactly: tag >> 3), (1...0x1fff_ffff).contains(number) else {
      throw malformed("a field has the number \(tag >> 3)")
    }
    switch tag & 7 {
    case 0: return (number, .varint(try varint(bytes)))
    case 1: return (number, .fixed64(UInt64(littleEndian: try fixed(bytes))))
    case 5: return (number, .fixed32(UInt32(littleEndian: try fixed(bytes))))
    case 2:
      let length = try varint(bytes)
      guard length <= UInt64(end - offset) else {
        throw malformed("field \(number) has \(length) bytes and only \(end - offset) are left")
      }
      defer { offset += Int(length) }
      return (number, .bytes(offset..<offset + Int(length)))
    default: throw malformed("field \(number) has the wire type \(tag & 7)")
    }
  }

  /// The next number of a packed list, which contains nothing else; `nil` at the end.
  public mutating func nextPacked(_ bytes: Span<UInt8>) throws(Status) -> UInt64? {
    offset < end ? try varint(bytes) : nil
  }

  private mutating func fixed<Word: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: Span<UInt8>
  ) throws(Status) -> Word {
    let size = MemoryLayout<Word>.size
    guard size <= end - offset else { throw malformed("it ends inside a number") }
    defer { offset += size }
    return bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Word.self)
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

  public func malformed(_ what: String) -> Status {
    Status(.invalidArgument, "the \(name) is malformed: \(what); encode it with a protobuf library")
  }
}
