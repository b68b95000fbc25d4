import CJansson
import FaceCore
import Posix

/// A JSON object read by jansson, with errors that name the missing or wrong member.
final class JSONObject {
  private let value: UnsafeMutablePointer<json_t>
  /// The object's place in the file for error messages, as in "model.json: input".
  private let path: String

  /// Throws `failedPrecondition` for a text that is not one JSON object, and `resourceExhausted` without memory.
  init(parsing text: [UInt8], name: String) throws(Status) {
    var error = json_error_t()
    // jansson calls a text that it cannot copy an invalid token.
    let (parsed, isOutOfMemory) = noticingLackOfMemory {
      text.withUnsafeBytes { bytes in
        json_loadb(
          bytes.bindMemory(to: CChar.self).baseAddress, bytes.count, Int(JSON_REJECT_DUPLICATES), &error)
      }
    }
    guard let parsed else {
      guard !isOutOfMemory else {
        throw Status(.resourceExhausted, "no memory to read \(name); free some memory and try again")
      }
      let reason = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      throw Status(
        .failedPrecondition, "\(name) is not valid JSON (line \(error.line): \(reason)); correct it")
    }
    guard parsed.pointee.type == JSON_OBJECT else {
      json_decref(parsed)
      throw Status(.failedPrecondition, "\(name) is not a JSON object; see Models/README.md for its form")
    }
    value = parsed
    path = name
  }

  private init(borrowing object: UnsafeMutablePointer<json_t>, path: String) {
    value = json_incref(object)
    self.path = path
  }

  deinit { json_decref(value) }

  func has(_ key: String) -> Bool { json_object_get(value, key) != nil }

  func string(_ key: String) throws(Status) -> String {
    guard let text = json_string_value(json_object_get(value, key)) else { throw wrong(key, "a text") }
    return String(cString: text)
  }

  func integer(_ key: String) throws(Status) -> Int {
    guard let member = json_object_get(value, key), member.pointee.type == JSON_INTEGER else {
      throw wrong(key, "a whole number")
    }
    return Int(json_integer_value(member))
  }

  func object(_ key: String) throws(Status) -> JSONObject {
    guard let member = json_object_get(value, key), member.pointee.type == JSON_OBJECT else {
      throw wrong(key, "an object")
    }
    return JSONObject(borrowing: member, path: "\(path): \(key)")
  }

  func integers(_ key: String) throws(Status) -> [Int] {
    try list(key, of: "whole numbers") { $0.pointee.type == JSON_INTEGER ? Int(json_integer_value($0)) : nil }
  }

  func numbers(_ key: String) throws(Status) -> [Float] {
    try list(key, of: "numbers") {
      guard $0.pointee.type == JSON_INTEGER || $0.pointee.type == JSON_REAL else { return nil }
      let number = Float(json_number_value($0))
      return number.isFinite ? number : nil
    }
  }

  /// Returns every member of the object; each must be a list of texts.
  func stringLists() throws(Status) -> [String: [String]] {
    var result: [String: [String]] = [:]
    var iterator = json_object_iter(value)
    while let current = iterator {
      let key = String(cString: json_object_iter_key(current))
      result[key] = try list(key, of: "texts") { json_string_value($0).map { String(cString: $0) } }
      iterator = json_object_iter_next(value, current)
    }
    return result
  }

  private func list<Element>(
    _ key: String, of what: String, _ convert: (UnsafeMutablePointer<json_t>) -> Element?
  ) throws(Status) -> [Element] {
    guard let member = json_object_get(value, key), member.pointee.type == JSON_ARRAY else {
      throw wrong(key, "a list of \(what)")
    }
    var elements: [Element] = []
    for index in 0..<json_array_size(member) {
      guard let element = json_array_get(member, index).flatMap({ convert($0) }) else {
        throw wrong(key, "a list of \(what)")
      }
      elements.append(element)
    }
    return elements
  }

  private func wrong(_ key: String, _ expected: String) -> Status {
    Status(
      .failedPrecondition, "\(path) has no \"\(key)\" that is \(expected); see Models/README.md for its form")
  }
}
