import FaceCore

/// The numbers of NUT, read byte by byte. Source: nut.txt of the NUT project, "type definitions".
protocol NUTBytes {
  associatedtype Failure: Error

  mutating func byte() throws(Failure) -> UInt8
}

extension NUTBytes {
  /// A number of any length; bits beyond 64 are lost.
  mutating func number() throws(Failure) -> UInt64 {
    var value: UInt64 = 0
    while true {
      let byte = try byte()
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return value }
    }
  }

  /// A number with a sign: 0, 1, -1, 2, -2, …
  mutating func signed() throws(Failure) -> Int64 {
    let value = try number() &+ 1
    return value & 1 == 0 ? Int64(value >> 1) : -Int64(value >> 1)
  }
}

/// Reads the contents of a packet, one after the other.
struct NUTPacket: NUTBytes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func byte() throws(Status) -> UInt8 {
    guard let byte = rest.popFirst() else { throw NUTHeaders.damaged("a packet is too short") }
    return byte
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Bytes with their number before them.
  mutating func bytes() throws(Status) -> ArraySlice<UInt8> {
    let count = try number()
    guard count <= rest.count else { throw NUTHeaders.damaged("a packet is too short") }
    defer { rest = rest.dropFirst(Int(count)) }
    return rest.prefix(Int(count))
  }
}
