/// A number as C has it. Throws ``Status/invalidArgument`` for one that C cannot have.
package func number<Number: FixedWidthInteger>(_ value: Int, _ name: String) throws(FaceError) -> Number {
  guard let number = Number(exactly: value) else {
    throw FaceError(.invalidArgument, "\(name) is \(value); use 0 to \(Number.max)")
  }
  return number
}

package func nanoseconds(_ duration: Duration, _ name: String) throws(FaceError) -> UInt64 {
  let (seconds, attoseconds) = duration.components
  guard seconds >= 0, attoseconds >= 0, seconds < Int64.max / 1_000_000_000 else {
    throw FaceError(.invalidArgument, "\(name) is \(duration); use 0 to 292 years")
  }
  return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
}

package func withCString<Result>(
  _ text: String?, _ body: (UnsafePointer<CChar>?) throws(FaceError) -> Result
) throws(FaceError) -> Result {
  try withArray(text.map { Array($0.utf8CString) }) { (array) throws(FaceError) -> Result in
    try body(array?.baseAddress)
  }
}

/// The texts in one array of characters, which stays in place.
package func withCStrings<Result>(
  _ texts: [String?], _ body: ([UnsafePointer<CChar>?]) throws(FaceError) -> Result
) throws(FaceError) -> Result {
  let texts = texts.map { $0.map { Array($0.utf8CString) } }
  return try withArray(texts.flatMap { $0 ?? [] }) { characters throws(FaceError) in
    var next = characters?.baseAddress
    return try body(
      texts.map { text in
        defer { next = next.map { $0 + (text?.count ?? 0) } }
        return text == nil ? nil : next
      })
  }
}

/// An array as C has it: nil is NULL, and an empty one is not.
package func withArray<Element, Result>(
  _ array: [Element]?, _ body: (UnsafeBufferPointer<Element>?) throws(FaceError) -> Result
) throws(FaceError) -> Result {
  guard let array else { return try body(nil) }
  if array.isEmpty {
    let place = UnsafePointer<Element>(bitPattern: MemoryLayout<Element>.alignment)
    return try body(UnsafeBufferPointer(start: place, count: 0))
  }
  return try array.withUnsafeBufferPointer { (elements) throws(FaceError) -> Result in try body(elements) }
}

/// Writes the first elements of an array of a C struct, which Swift sees as a tuple.
/// - Returns: how many.
@discardableResult
package func store<Element, Tuple>(
  _ elements: [Element], in tuple: inout Tuple, _ name: String
) throws(FaceError) -> UInt32 {
  let room = MemoryLayout<Tuple>.size / MemoryLayout<Element>.stride
  guard elements.count <= room else {
    throw FaceError(.invalidArgument, "\(name) has more than \(room) elements")
  }
  withUnsafeMutableBytes(of: &tuple) { bytes in
    elements.withUnsafeBytes { bytes.copyMemory(from: $0) }
  }
  return UInt32(elements.count)
}

/// The text in an array of a C struct.
func string<Tuple>(in tuple: Tuple) -> String {
  withUnsafeBytes(of: tuple) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
