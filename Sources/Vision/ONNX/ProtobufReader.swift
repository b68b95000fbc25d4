import FaceCore

/// Reads the fields of a message in an ONNX file, one after the other.
struct ProtobufReader {
  private let bytes: [UInt8]
  private var scanner: ProtobufScanner

  /// - Parameter range: the range of the message; must lie in `bytes`.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    scanner = ProtobufScanner(range, of: "ONNX file")
  }

  static let damaged = Status(
    .failedPrecondition, "the file is damaged or not ONNX: it is not a protobuf message; fetch it again")

  /// Returns the next field; `nil` at the message's end. Throws `failedPrecondition` for bytes that are not
  /// protobuf.
  mutating func next() throws(Status) -> ProtobufScanner.Field? {
    let bytes = bytes
    do throws(Status) { return try scanner.next(bytes.span) } catch { throw ProtobufReader.damaged }
  }

  fileprivate mutating func nextPacked() throws(Status) -> UInt64? {
    let bytes = bytes
    do throws(Status) { return try scanner.nextPacked(bytes.span) } catch { throw ProtobufReader.damaged }
  }
}

extension ProtobufScanner.Value {
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

extension [UInt8] {
  /// Returns the fields with this number of the message in `range`.
  func fields(_ number: Int, in range: Range<Int>) throws(Status) -> [ProtobufScanner.Value] {
    var reader = ProtobufReader(self, in: range)
    var values: [ProtobufScanner.Value] = []
    while let field = try reader.next() {
      if field.number == number { values.append(field.value) }
    }
    return values
  }

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
