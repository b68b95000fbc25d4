import CJSON
package import NIOCore

/// A received JSON value.
package enum JSONInput: Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([JSONInput])
  case object([String: JSONInput])

  /// Reads an object by jansson, in a time that grows with the length of the text alone; `nil` for anything else, for
  /// what is not JSON by RFC 8259, and for what is nested too deep.
  package static func object(in text: ByteBuffer) -> [String: JSONInput]? {
    let root = text.withUnsafeReadableBytes { bytes in
      json_loadb(
        bytes.bindMemory(to: CChar.self).baseAddress, bytes.count,
        Int(JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL), nil)
    }
    guard let root else { return nil }
    defer { json_decref(root) }
    return JSONInput(root, depth: 0)?.object
  }

  /// Nothing here is nested deeper.
  private static let maxDepth = 32

  /// `nil` for a value that is nested too deep.
  private init?(_ value: UnsafeMutablePointer<json_t>, depth: Int) {
    if depth > Self.maxDepth { return nil }
    switch value.pointee.type {
    case JSON_OBJECT:
      var members: [String: JSONInput] = [:]
      var next = json_object_iter(value)
      while let member = next {
        guard let child = json_object_iter_value(member), let input = JSONInput(child, depth: depth + 1)
        else { return nil }
        members[String(cString: json_object_iter_key(member))] = input
        next = json_object_iter_next(value, member)
      }
      self = .object(members)
    case JSON_ARRAY:
      var elements: [JSONInput] = []
      elements.reserveCapacity(json_array_size(value))
      for index in 0..<json_array_size(value) {
        guard let child = json_array_get(value, index), let input = JSONInput(child, depth: depth + 1) else {
          return nil
        }
        elements.append(input)
      }
      self = .array(elements)
    case JSON_STRING:
      let bytes = UnsafeRawBufferPointer(start: json_string_value(value), count: json_string_length(value))
      self = .string(String(decoding: bytes, as: UTF8.self))
    case JSON_INTEGER, JSON_REAL: self = .number(json_number_value(value))
    case JSON_TRUE: self = .boolean(true)
    case JSON_FALSE: self = .boolean(false)
    default: self = .null
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
