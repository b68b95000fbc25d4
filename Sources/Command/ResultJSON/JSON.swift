/// A JSON value. Members keep their order. Source: RFC 8259.
public enum JSON: CustomStringConvertible, Sendable {
  case members([(String, JSON)])
  case array([JSON])
  case string(String)
  case integer(Int)
  case boolean(Bool)
  case null
  /// A number, which must be finite.
  case number(Float)

  public var description: String { String(decoding: encoded, as: UTF8.self) }

  /// The text in UTF-8.
  public var encoded: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(512)
    append(to: &text)
    return text
  }

  public static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
    .members(members.map { ($0.key, $0.value) })
  }

  public static func object(_ members: [(String, JSON)]) -> JSON { .members(members) }

  private func append(to text: inout [UInt8]) {
    switch self {
    case .members(let members):
      text.append(UInt8(ascii: "{"))
      for (index, (name, value)) in members.enumerated() {
        if index > 0 { text += Self.comma }
        Self.append(quoted: name, to: &text)
        text += Self.colon
        value.append(to: &text)
      }
      text.append(UInt8(ascii: "}"))
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { text += Self.comma }
        element.append(to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .string(let value): Self.append(quoted: value, to: &text)
    case .integer(let value): text += value.description.utf8
    case .null: text += "null".utf8
    case .boolean(let value): text += value.description.utf8
    case .number(let value): text += value.description.utf8
    }
  }

  private static let comma = Array(", ".utf8)
  private static let colon = Array(": ".utf8)

  private static func append(quoted value: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    if value.utf8.allSatisfy({ 0x20..<0x7f ~= $0 && $0 != 0x22 && $0 != 0x5c }) {
      text += value.utf8
    } else {
      for scalar in value.unicodeScalars { text += escaped(scalar).utf8 }
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": return "\\\""
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\t": return "\\t"
    case "\r": return "\\r"
    case ..<" ", "\u{EF80}"..."\u{EFFF}":
      // The last are bytes of paths that are not UTF-8: written so that they can be seen.
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: return String(scalar)
    }
  }
}
