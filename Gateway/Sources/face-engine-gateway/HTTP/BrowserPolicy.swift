import FaceCore
import HTTPTypes
import Hummingbird

/// Prevents foreign pages from calling through a user's browser: it checks hosts and origins against lists,
/// and its headers restrict the gateway's own page to what it needs.
struct BrowserPolicy: Sendable {
  private static let allowedMethods = "GET, HEAD, POST, DELETE, OPTIONS"

  /// The names and addresses that requests may be sent to, without ports, in lower case.
  private let hosts: Set<String>
  /// The origins of other pages that may call, as in "https://kiosk.example".
  private let origins: Set<String>

  init(hosts: [String], origins: [String], address: ListenAddress) {
    var all: Set<String> = ["localhost", "127.0.0.1", "::1"]
    if address.host != "0.0.0.0", address.host != "::" { all.insert(address.host) }
    self.hosts = all.union(hosts.map { $0.lowercased() })
    self.origins = Set(origins.map { $0.lowercased() })
  }

  /// Throws `permissionDenied` for a host that is not this one, which indicates DNS rebinding, and for an
  /// origin that is not listed.
  func admit(_ request: Request) throws(Status) {
    let authority = (request.head.authority ?? "").lowercased()
    guard hosts.contains(Self.host(of: authority)) else {
      throw Status(
        .permissionDenied,
        "the request is for another host; call localhost, or name this one with --host-name")
    }
    guard let origin = request.headers[.origin]?.lowercased(), !isOwn(origin, authority) else { return }
    guard origins.contains(origin) else {
      throw Status(
        .permissionDenied, "pages of this origin may not call; list it with --allow-origin if they should")
    }
  }

  private func isOwn(_ origin: String, _ authority: String) -> Bool {
    origin == "http://\(authority)" || origin == "https://\(authority)"
  }

  private static func host(of authority: String) -> String {
    if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
    return authority.count { $0 == ":" } == 1 ? String(authority.prefix { $0 != ":" }) : authority
  }

  /// The answer to a browser's preflight request.
  func preflight(_ request: Request) -> HTTPAnswer? {
    guard request.method == .options, let method = HTTPField.Name("access-control-request-method"),
      request.headers[method] != nil
    else { return nil }
    var answer = HTTPAnswer.nothing
    func add(_ name: String, _ value: String) {
      if let name = HTTPField.Name(name) { answer.headers.append((name, value)) }
    }
    add("access-control-allow-methods", Self.allowedMethods)
    add("access-control-allow-headers", "authorization, content-type, traceparent, x-timestamp-ns")
    add("access-control-max-age", "600")
    return answer
  }

  func addHeaders(to response: inout Response, for request: Request) {
    func set(_ name: String, _ value: String) {
      if let name = HTTPField.Name(name) { response.headers[name] = value }
    }
    set(
      "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        + "media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    set("x-content-type-options", "nosniff")
    set("referrer-policy", "no-referrer")
    set("permissions-policy", "camera=(self)")
    if response.headers[.cacheControl] == nil { set("cache-control", "no-store") }
    guard let origin = request.headers[.origin] else { return }
    set("vary", "origin")
    if origins.contains(origin.lowercased()) {
      set("access-control-allow-origin", origin)
      set("access-control-expose-headers", "server-timing")
    }
  }
}
