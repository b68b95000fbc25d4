/// A JSON value. Members keep their order. Source: RFC 8259.
public indirect enum JSON: CustomStringConvertible, Sendable {
  case members([(String, JSON)])
  case array([JSON])
  case string(String)
  case integer(Int)
  case boolean(Bool)
  case null
  /// A number, which must be finite.
  case number(Float)

  public var description: String {
    switch self {
    case .members(let members):
      "{" + members.map { "\(JSON.quoted($0)): \($1)" }.joined(separator: ", ") + "}"
    case .array(let elements):
      "[" + elements.map(\.description).joined(separator: ", ") + "]"
    case .string(let text): JSON.quoted(text)
    case .integer(let value): String(value)
    case .null: "null"
    case .boolean(let value): String(value)
    case .number(let value): value.description
    }
  }

  public static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
    .members(members.map { ($0.key, $0.value) })
  }

  public static func object(_ members: [(String, JSON)]) -> JSON { .members(members) }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case ..<" ", "\u{EF80}"..."\u{EFFF}":
        // The last are bytes of paths that are not UTF-8: written so that they can be seen.
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
