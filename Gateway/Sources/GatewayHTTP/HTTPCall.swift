import EngineLink
import FaceCore
import GatewayServing
package import NIOCore
package import NIOHTTP1

/// The head of an HTTP request, with its target taken apart. The same for HTTP/1.1 and HTTP/2.
package struct HTTPCallHead: Sendable {
  let method: HTTPMethod
  /// The name or address and the port that the request is for; `nil` in a request of HTTP/1.0 that has none.
  let authority: String?
  package let headers: HTTPHeaders
  /// The parts of the path between slashes.
  package let path: [String]
  /// Whether it is about the server as a whole, and has no path.
  let isAboutServer: Bool
  let query: [(name: String, value: String)]

  /// - Parameters:
  ///   - target: a path with a query; or, of a proxy, an absolute URI, whose authority counts then.
  ///   - authority: that of HTTP/2.
  ///
  /// Throws `invalidArgument` for a target or a host that is malformed.
  init(
    _ method: HTTPMethod, target: String, headers: HTTPHeaders, authority: String? = nil,
    isHTTP10: Bool = false
  ) throws(Status) {
    self.method = method
    self.headers = headers
    isAboutServer = target == "*" && method == .OPTIONS
    let (named, target) = isAboutServer ? (nil, "/") : try Self.parts(of: target)
    if let known = named ?? authority {
      self.authority = known
    } else {
      self.authority = try Self.host(headers, isNeeded: !isHTTP10)
    }
    let (rawPath, rawQuery) = Self.split(target, at: UInt8(ascii: "?"))
    path = try rawPath.utf8.split(separator: UInt8(ascii: "/")).map { (part) throws(Status) in
      try Self.decoded(Substring(part))
    }
    query = try rawQuery.split(separator: "&").map { (part) throws(Status) in
      let (name, value) = Self.split(part, at: UInt8(ascii: "="))
      let isBare = !part.contains("=")
      return (
        try Self.decoded(name.replacing("+", with: " ")),
        isBare ? "true" : try Self.decoded(value.replacing("+", with: " "))
      )
    }
  }

  /// The authority of an absolute URI, and the rest. Source: RFC 9112, section 3.2.
  private static func parts(of target: String) throws(Status) -> (String?, Substring) {
    if target.hasPrefix("/") { return (nil, target[...]) }
    let lower = target.prefix(8).lowercased()
    guard let scheme = ["http://", "https://"].first(where: { lower.hasPrefix($0) }) else {
      throw Status(
        .invalidArgument, "the target is neither a path nor an http URI; send a path such as /v1/detect")
    }
    let rest = target.dropFirst(scheme.count)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    return (String(rest[..<end]), rest[end...])
  }

  /// The one header Host. Source: RFC 9112, section 3.2.
  private static func host(_ headers: HTTPHeaders, isNeeded: Bool) throws(Status) -> String? {
    let hosts = headers["host"]
    guard hosts.count <= 1 else {
      throw Status(.invalidArgument, "the request has \(hosts.count) Host headers; send one")
    }
    guard let host = hosts.first, !host.isEmpty else {
      if !isNeeded { return nil }
      throw Status(.invalidArgument, "the request has no Host header; send one, as in Host: localhost:8080")
    }
    return host
  }

  private static func split(
    _ text: some StringProtocol, at separator: UInt8
  ) -> (Substring, Substring) {
    let text = Substring(text)
    guard let index = text.utf8.firstIndex(of: separator) else { return (text, "") }
    return (text[..<index], text[text.utf8.index(after: index)...])
  }

  private static func decoded(_ text: some StringProtocol) throws(Status) -> String {
    if text.utf8.allSatisfy({ 0x20..<0x7f ~= $0 && $0 != 0x25 }) { return String(text) }
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
    guard let text = String(validating: bytes, as: UTF8.self),
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f })
    else {
      throw Status(.invalidArgument, "the path or query has control characters or is not UTF-8")
    }
    return text
  }

  /// Throws 405 for a method that is not one of `methods`. HEAD is allowed with GET.
  package func require(_ methods: [String]) throws(HTTPFailure) {
    let wanted = method == .HEAD ? "GET" : method.rawValue
    guard methods.contains(wanted) else {
      let allowed = methods + (methods.contains("GET") ? ["HEAD"] : [])
      throw HTTPFailure(
        status: .methodNotAllowed,
        failure: Status(
          .unimplemented,
          "this path does not support \(method.rawValue); use \(allowed.joined(separator: ", "))"),
        allowed: allowed.joined(separator: ", "))
    }
  }
}

/// A complete HTTP request, as passed to the routes.
package struct HTTPCall: Sendable {
  let head: HTTPCallHead
  package let body: ByteBuffer
  /// What follows in a picture, in the buffer in which it came.
  let rest: ByteBuffer
  let caller: Caller
  /// A large picture, in place of the body.
  let upload: SharedUpload?

  package var path: [String] { head.path }
  var query: [(name: String, value: String)] { head.query }

  package func header(_ name: String) -> String? { head.headers.first(name: name) }
}
