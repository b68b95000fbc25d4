import FaceCore

/// The beginning of a line of results: whose picture it is, and whether the picture failed. Other programs may have
/// written the line again, with other spaces and escapes.
struct ResultLine {
  /// The picture's name, in UTF-8.
  let image: [UInt8]
  let isFailure: Bool

  /// The longest beginning that is needed: a path of 4096 bytes, each an escape of 6 bytes, and what is around it.
  static let maxBytes = 6 * 4096 + 256

  /// `nil` if no line of results begins like this.
  init?(_ bytes: [UInt8]) {
    var rest = Scanner(rest: bytes[...])
    guard rest.skip("{"), rest.skip("\"schemaVersion\""), rest.skip(":"), rest.skip("1"), rest.skip(","),
      rest.skip("\"image\""), rest.skip(":"), let image = rest.string(), rest.skip(",")
    else { return nil }
    self.image = image
    isFailure = rest.skip("\"error\"")
  }

  private struct Scanner {
    var rest: ArraySlice<UInt8>

    /// Skips spaces and then `text`; `false` if it does not come next.
    mutating func skip(_ text: StaticString) -> Bool {
      rest = rest.drop { $0 == UInt8(ascii: " ") }
      let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      guard rest.starts(with: wanted) else { return false }
      rest = rest.dropFirst(wanted.count)
      return true
    }

    /// Reads a string; `nil` if none comes next. Source: RFC 8259, section 7.
    mutating func string() -> [UInt8]? {
      guard skip("\"") else { return nil }
      var text: [UInt8] = []
      var units: [UInt16] = []
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "u") {
          guard let unit = UInt16(String(decoding: rest.dropFirst().prefix(4), as: UTF8.self), radix: 16) else {
            return nil
          }
          units.append(unit)
          rest = rest.dropFirst(5)
          continue
        }
        // The two halves of a character stand behind each other.
        text += String(decoding: units, as: UTF16.self).utf8
        units.removeAll()
        switch byte {
        case UInt8(ascii: "\""): return text
        case UInt8(ascii: "\\"):
          guard let escape = rest.popFirst(), let meaning = Self.escapes[escape] else { return nil }
          text.append(meaning)
        default: text.append(byte)
        }
      }
      return nil
    }

    private static let escapes: [UInt8: UInt8] = [
      UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
      UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
      UInt8(ascii: "r"): 0x0D,
      UInt8(ascii: "t"): 0x09,
    ]
  }
}
