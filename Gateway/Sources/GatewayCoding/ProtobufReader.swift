package import FaceCore
package import NIOCore

/// Walks the fields of one encoded message, one level deep. Bytes are slices, not copies.
///
/// Apart from the wire's own, which scans bytes that lie still: these stay in the buffer of NIO that they
/// came in, and go on in slices of it that keep it alive.
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
    scanner = ProtobufScanner(0..<message.readableBytes)
  }

  /// The next field; `nil` at the end. Throws `invalidArgument` for bytes that are not a message.
  package mutating func next() throws(Status) -> (number: Int, value: Value)? {
    guard let field = try scan({ (scanner, bytes) throws(Status) in try scanner.next(bytes) }) else {
      return nil
    }
    let value: Value =
      switch field.value {
      case .varint(let value): .varint(value)
      case .fixed64(let value): .fixed64(value)
      case .fixed32(let value): .fixed32(value)
      case .bytes(let range): .bytes(slice(range))
      }
    return (field.number, value)
  }

  /// The bytes, with its number, of the field that was read since `earlier`, a copy of this reader.
  package func field(since earlier: ProtobufReader) -> ByteBuffer {
    slice(earlier.scanner.offset..<scanner.offset)
  }

  /// The next number when reading a packed field, which contains nothing else; `nil` at the end.
  package mutating func nextPacked() throws(Status) -> UInt64? {
    try scan { (scanner, bytes) throws(Status) in try scanner.nextPacked(bytes) }
  }

  private func slice(_ range: Range<Int>) -> ByteBuffer {
    message.getSlice(at: message.readerIndex + range.lowerBound, length: range.count) ?? ByteBuffer()
  }

  private mutating func scan<Result>(
    _ body: (inout ProtobufScanner, UnsafeRawBufferPointer) throws(Status) -> Result
  ) throws(Status) -> Result {
    let result: Swift.Result<Result, Status> = message.withUnsafeReadableBytes { bytes in
      Swift.Result { () throws(Status) in try body(&scanner, bytes) }
    }
    return try result.get()
  }
}
