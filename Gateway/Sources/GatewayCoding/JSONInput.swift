import FoundationEssentials
package import NIOCore

/// A received JSON value.
package enum JSONInput: Decodable, Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([JSONInput])
  case object([String: JSONInput])

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONInput].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONInput].self))
    }
  }

  /// Reads an object; `nil` for anything else, and for what is not JSON by RFC 8259.
  package static func object(in text: ByteBuffer) -> [String: JSONInput]? {
    guard isStrict(text),
      case .object(let members)? = try? JSONDecoder().decode(
        JSONInput.self, from: Data(text.readableBytesView))
    else { return nil }
    return members
  }

  private static let maxDepth = 32

  /// Whether a text has nothing that Foundation reads though RFC 8259 does not have it: a comma before the end of a
  /// list, a byte order mark, UTF-16, control characters; and is not nested deeper than anything here is, since reading
  /// a value costs the more the deeper it is.
  private static func isStrict(_ text: ByteBuffer) -> Bool {
    text.withUnsafeReadableBytes { bytes in
      var depth = 0
      var (isInString, isEscaped, isAfterComma) = (false, false, false)
      for byte in bytes {
        if isInString {
          if byte < 0x20 { return false }
          isInString = isEscaped || byte != UInt8(ascii: "\"")
          isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
          continue
        }
        switch byte {
        case 0x20, 0x09, 0x0a, 0x0d: continue
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          depth += 1
          if depth > maxDepth { return false }
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
          depth -= 1
          if isAfterComma { return false }
        case 0x21..<0x7f: break
        default: return false
        }
        isInString = byte == UInt8(ascii: "\"")
        isAfterComma = byte == UInt8(ascii: ",")
      }
      return true
    }
  }

  package var number: Double? { if case .number(let value) = self { value } else { nil } }
  package var array: [JSONInput]? { if case .array(let value) = self { value } else { nil } }
  package var object: [String: JSONInput]? { if case .object(let value) = self { value } else { nil } }
  package var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The integers below are exact in a `Double`, and in JSON of any program. Source: RFC 8259, section 6.
  private static let exactIntegers = 9_007_199_254_740_992.0

  /// A single value as text; integers that are exact have no decimal point.
  package var text: String? {
    switch self {
    case .boolean(let value): "\(value)"
    case .number(let value):
      Int(exactly: value).flatMap { value.magnitude < Self.exactIntegers ? "\($0)" : nil } ?? "\(value)"
    case .string(let value): value
    case .null, .array, .object: nil
    }
  }
}
