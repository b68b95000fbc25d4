/// A JSON text in the making; members keep the order they are given in. Source: RFC 8259.
indirect enum JSON: CustomStringConvertible {
  case object(KeyValuePairs<String, JSON>)
  case array([JSON])
  case string(String)
  case integer(Int)
  /// Must be finite.
  case number(Float)

  var description: String {
    switch self {
    case .object(let members):
      "{" + members.map { "\(JSON.quoted($0)): \($1)" }.joined(separator: ", ") + "}"
    case .array(let elements):
      "[" + elements.map(\.description).joined(separator: ", ") + "]"
    case .string(let text): JSON.quoted(text)
    case .integer(let value): String(value)
    case .number(let value): value.description
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case ..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
