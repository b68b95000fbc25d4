import FaceCore
import Glibc
import NIOCore

/// Takes the file out of a form. Sources: RFC 7578; RFC 2046, section 5.1.
enum MultipartForm {
  private static let maxHeadBytes = 8 << 10

  /// The only part of a form.
  ///
  /// Throws `invalidArgument` for a form that is malformed, and for one with another number of parts.
  static func file(in body: ByteBuffer, contentType: String) throws(Status) -> ByteBuffer {
    try contents(of: try onlyPart(of: body, boundary: try boundary(contentType)))
  }

  private static func boundary(_ contentType: String) throws(Status) -> String {
    for parameter in contentType.split(separator: ";").dropFirst() {
      let sides = parameter.split(separator: "=", maxSplits: 1).map { $0.drop { $0 == " " || $0 == "\t" } }
      guard sides.count == 2, sides[0].lowercased() == "boundary" else { continue }
      var value = sides[1]
      while value.last == " " || value.last == "\t" { value.removeLast() }
      if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
        value = value.dropFirst().dropLast()
      }
      guard (1...70).contains(value.utf8.count) else { break }
      return String(value)
    }
    throw wrong("has no boundary of up to 70 characters; name it in the header content-type")
  }

  /// The part between the delimiters, with its head.
  private static func onlyPart(of body: ByteBuffer, boundary: String) throws(Status) -> ByteBuffer {
    let delimiter = Array("\r\n--\(boundary)".utf8)
    var rest = body
    // The first delimiter may begin the body, without a line break.
    if rest.readableBytesView.starts(with: delimiter.dropFirst(2)) {
      rest.moveReaderIndex(forwardBy: delimiter.count - 2)
    } else if let preamble = rest.firstOffset(of: delimiter) {
      rest.moveReaderIndex(forwardBy: preamble + delimiter.count)
    } else {
      throw wrong("lacks its boundary; put it before and after the file")
    }
    let part = try nextPart(of: &rest, delimiter)
    guard let part else { throw wrong("has no part; send one, the file") }
    if try nextPart(of: &rest, delimiter) != nil {
      throw wrong("has several parts; send one, the file, and options in the query")
    }
    return part
  }

  /// The part up to the next delimiter; `nil` after the last one.
  private static func nextPart(of rest: inout ByteBuffer, _ delimiter: [UInt8]) throws(Status) -> ByteBuffer? {
    if rest.readableBytesView.starts(with: "--".utf8) { return nil }
    let padding = rest.readableBytesView.prefix { $0 == 0x20 || $0 == 0x09 }.count
    rest.moveReaderIndex(forwardBy: padding)
    guard rest.readableBytesView.starts(with: "\r\n".utf8), let count = rest.firstOffset(of: delimiter),
      let part = rest.readSlice(length: count)
    else { throw wrong("ends without its boundary; send all of it") }
    rest.moveReaderIndex(forwardBy: delimiter.count)
    return part
  }

  private static func contents(of part: ByteBuffer) throws(Status) -> ByteBuffer {
    var rest = part
    let end = Array("\r\n\r\n".utf8)
    // Begins with the line break of the delimiter, so that a part without headers has an end, too.
    guard let count = rest.firstOffset(of: end), count <= maxHeadBytes,
      let head = rest.readString(length: count)
    else {
      throw wrong("has a part without headers; send content-disposition and an empty line before the file")
    }
    rest.moveReaderIndex(forwardBy: end.count)
    let lines = head.lowercased().split(separator: "\r\n")
    for line in lines where line.hasPrefix("content-transfer-encoding:") && !line.hasSuffix("binary") {
      throw wrong("has an encoded part; send the bytes of the file as they are")
    }
    return rest
  }

  private static func wrong(_ what: String) -> Status { Status(.invalidArgument, "the form \(what)") }
}

extension ByteBuffer {
  /// Where `bytes`, which begin with a line break, begin; counted from the first readable one.
  fileprivate func firstOffset(of bytes: [UInt8]) -> Int? {
    withUnsafeReadableBytes { all in
      guard let start = all.baseAddress else { return nil }
      var offset = 0
      while offset + bytes.count <= all.count,
        let found = memchr(start + offset, Int32(bytes[0]), all.count - bytes.count - offset + 1)
      {
        offset = UnsafeRawPointer(found) - start
        if memcmp(found, bytes, bytes.count) == 0 { return offset }
        offset += 1
      }
      return nil
    }
  }
}
