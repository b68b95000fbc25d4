import FaceCore
import HTTPTypes
import Hummingbird
import NIOCore

/// An HTTP request, as passed to the routes.
struct HTTPCall {
  let request: Request
  /// The most bytes of a body.
  let limit: Int

  var method: HTTPRequest.Method { request.method }
  /// The parts of the path between slashes.
  let path: [String]
  let query: [(name: String, value: String)]

  /// Throws `invalidArgument` for a target that is not a path.
  init(_ request: Request, limit: Int) throws(Status) {
    self.request = request
    self.limit = limit
    let target = request.head.path ?? "/"
    let (rawPath, rawQuery) = Self.split(target, at: "?")
    path = try rawPath.split(separator: "/").map { (part) throws(Status) in try Self.decoded(part) }
    query = try rawQuery.split(separator: "&").map { (part) throws(Status) in
      let (name, value) = Self.split(part, at: "=")
      let isBare = !part.contains("=")
      return (
        try Self.decoded(name.replacing("+", with: " ")),
        isBare ? "true" : try Self.decoded(value.replacing("+", with: " "))
      )
    }
  }

  private static func split(
    _ text: some StringProtocol, at separator: Character
  ) -> (Substring, Substring) {
    let text = Substring(text)
    guard let index = text.firstIndex(of: separator) else { return (text, "") }
    return (text[..<index], text[text.index(after: index)...])
  }

  private static func decoded(_ text: some StringProtocol) throws(Status) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else {
        throw Status(.invalidArgument, "the path or query has a % without two digits after it")
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Status(.invalidArgument, "the path or query is not UTF-8")
    }
    return text
  }

  func header(_ name: String) -> String? {
    HTTPField.Name(name).flatMap { request.headers[$0] }
  }

  /// The whole body. Throws 413, naming the limit, for one that is too long, and 415 for one that is
  /// compressed.
  func body() async throws -> ByteBuffer {
    if let encoding = request.headers[.contentEncoding], encoding != "identity" {
      throw HTTPFailure(
        status: .unsupportedMediaType,
        failure: Status(
          .invalidArgument,
          "the body is compressed (\(encoding)); send it as it is: pictures are compressed already"))
    }
    let tooLarge = HTTPFailure(
      status: .contentTooLarge,
      failure: Status(
        .resourceExhausted,
        "the body has more than \(limit) bytes (max_message_bytes); send the image as JPEG or scale it down"))
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge }
    var whole = ByteBuffer()
    for try await piece in request.body {
      guard whole.readableBytes + piece.readableBytes <= limit else { throw tooLarge }
      whole.writeImmutableBuffer(piece)
    }
    return whole
  }
}
