import FaceCore

/// Reads the fields of a protobuf message, one after the other, from untrusted bytes.
///
/// Separate from the wire's reader, which is in a room above: a file has numbers of fixed size and packed
/// lists, and a single failure, that it is damaged.
/// Source: Protocol Buffers documentation, "Encoding".
struct ProtobufReader {
  enum Value {
    case varint(UInt64)
    case fixed32(UInt32)
    case fixed64(UInt64)
    /// The range of a text, a message or a packed list.
    case bytes(Range<Int>)
  }

  struct Field {
    let number: UInt64
    let value: Value
  }

  let bytes: [UInt8]
  private var position: Int
  private let end: Int

  /// - Parameter range: the range of the message; must lie in `bytes`.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  static let damaged = Status(
    .failedPrecondition, "the ONNX file is damaged or is not one: it is no protobuf message; fetch it again")

  /// Returns the next field; `nil` at the message's end. Throws `failedPrecondition` for bytes that are not
  /// protobuf.
  mutating func next() throws(Status) -> Field? {
    guard position < end else { return nil }
    let key = try varint()
    let value: Value
    switch key & 7 {
    case 0: value = .varint(try varint())
    case 1: value = .fixed64(try fixed(8))
    case 2: value = .bytes(try take(try varint()))
    case 5: value = .fixed32(UInt32(truncatingIfNeeded: try fixed(4)))
    default: throw ProtobufReader.damaged
    }
    return Field(number: key >> 3, value: value)
  }

  private mutating func varint() throws(Status) -> UInt64 {
    var result: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard position < end else { throw ProtobufReader.damaged }
      let byte = bytes[position]
      position += 1
      result |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return result }
    }
    throw ProtobufReader.damaged
  }

  private mutating func take(_ count: UInt64) throws(Status) -> Range<Int> {
    guard count <= UInt64(end - position) else { throw ProtobufReader.damaged }
    defer { position += Int(count) }
    return position..<position + Int(count)
  }

  private mutating func fixed(_ count: Int) throws(Status) -> UInt64 {
    bytes[try take(UInt64(count))].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension ProtobufReader.Value {
  /// Returns an integer, or a packed list of them. Throws `failedPrecondition` for anything else.
  func integers(in bytes: [UInt8]) throws(Status) -> [Int] {
    switch self {
    case .varint(let value): return [Int(truncatingIfNeeded: value)]
    case .bytes(let range):
      var list = ProtobufReader(bytes, in: range)
      var values: [Int] = []
      while let value = try list.nextPacked() { values.append(Int(truncatingIfNeeded: value)) }
      return values
    default: throw ProtobufReader.damaged
    }
  }

  /// Returns a 32-bit float, or a packed list of them.
  func floats(in bytes: [UInt8]) throws(Status) -> [Float] {
    switch self {
    case .fixed32(let bits): return [Float(bitPattern: bits)]
    case .bytes(let range):
      return try bytes.words(range, as: UInt32.self).map { Float(bitPattern: $0) }
    default: throw ProtobufReader.damaged
    }
  }

  /// Returns a 64-bit float, or a packed list of them, as 32-bit floats.
  func doubles(in bytes: [UInt8]) throws(Status) -> [Float] {
    switch self {
    case .fixed64(let bits): return [Float(Double(bitPattern: bits))]
    case .bytes(let range):
      return try bytes.words(range, as: UInt64.self).map { Float(Double(bitPattern: $0)) }
    default: throw ProtobufReader.damaged
    }
  }

  func integer() throws(Status) -> Int {
    guard case .varint(let value) = self else { throw ProtobufReader.damaged }
    return Int(truncatingIfNeeded: value)
  }

  func range() throws(Status) -> Range<Int> {
    guard case .bytes(let range) = self else { throw ProtobufReader.damaged }
    return range
  }

  func text(in bytes: [UInt8]) throws(Status) -> String {
    String(decoding: bytes[try range()], as: UTF8.self)
  }
}

extension ProtobufReader {
  fileprivate mutating func nextPacked() throws(Status) -> UInt64? {
    position < end ? try varint() : nil
  }
}

extension [UInt8] {
  /// Returns the bytes of `range`, which must lie in these, as little-endian words. Throws
  /// `failedPrecondition` if part of a word is left over.
  func words<Word: FixedWidthInteger>(_ range: Range<Int>, as word: Word.Type) throws(Status) -> [Word] {
    let size = MemoryLayout<Word>.size
    guard range.count.isMultiple(of: size) else { throw ProtobufReader.damaged }
    return withUnsafeBytes { bytes in
      stride(from: range.lowerBound, to: range.upperBound, by: size).map {
        Word(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Word.self))
      }
    }
  }
}
