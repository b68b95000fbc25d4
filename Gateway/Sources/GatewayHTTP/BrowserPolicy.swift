package import FaceCore
package import GatewayServing
import NIOCore
import NIOHTTP1

/// Prevents foreign pages from calling through a user's browser: it checks hosts and origins against lists,
/// and its headers restrict the gateway's own page to what it needs.
package struct BrowserPolicy: Sendable {
  private static let allowedMethods = "GET, HEAD, POST, DELETE, OPTIONS"

  /// The names and addresses that requests may be sent to, without ports, in lower case.
  private let hosts: Set<String>
  /// The origins of other pages that may call, as in "https://kiosk.example".
  private let origins: Set<String>

  /// Throws `invalidArgument` for a host that is no name.
  package init(_ options: ServingOptions) throws(Status) {
    let (hosts, address) = (options.hostName, options.http)
    for host in hosts where Self.host(of: host.lowercased()) != host.lowercased() {
      throw Status(
        .invalidArgument,
        "--host-name \(host) is not a name; give it without scheme, port and path, as in kiosk.example")
    }
    var all: Set<String> = ["localhost", "127.0.0.1", "::1"]
    if address.host != "0.0.0.0", address.host != "::" { all.insert(address.host) }
    self.hosts = all.union(hosts.map { $0.lowercased() })
    self.origins = Set(options.allowOrigin.map { $0.lowercased() })
  }

  /// Throws `permissionDenied` for a host that is not this one, which indicates DNS rebinding, for an origin that is
  /// not listed, and `invalidArgument` for a host that is malformed.
  func admit(_ head: HTTPCallHead) throws(Status) {
    // A browser always names a host.
    guard let authority = head.authority?.lowercased() else { return }
    guard let host = Self.host(of: authority) else {
      throw Status(
        .invalidArgument,
        "the request's host is malformed; send a name or an address, as in Host: localhost:8080")
    }
    guard hosts.contains(host) || Self.isAddress(host) else {
      throw Status(
        .permissionDenied,
        "the request is for another host; call localhost or an address, or start the gateway with --host-name"
      )
    }
    guard let origin = head.headers.first(name: "origin")?.lowercased(), !isOwn(origin, authority) else {
      return
    }
    guard origins.contains(origin) else {
      throw Status(
        .permissionDenied,
        "pages of this origin may not call; to allow them, start the gateway with --allow-origin")
    }
  }

  private func isOwn(_ origin: String, _ authority: String) -> Bool {
    origin == "http://\(authority)" || origin == "https://\(authority)"
  }

  /// The host, in lower case, without its port; `nil` if it is malformed. Source: RFC 3986, section 3.2.2.
  private static func host(of authority: String) -> String? {
    var host = authority.utf8[...]
    if let colon = host.lastIndex(of: UInt8(ascii: ":")), !host[colon...].contains(UInt8(ascii: "]")) {
      let port = host[colon...].dropFirst()
      guard port.count <= 5, port.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
      host = host[..<colon]
    }
    let isAddress = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
    if isAddress { host = host.dropFirst().dropLast() }
    let isValid = host.allSatisfy { byte in
      switch byte {
      // Digits, letters, and a point.
      case 0x30...0x39, 0x61...0x66, 0x2e: true
      case UInt8(ascii: ":"): isAddress
      case 0x67...0x7a, UInt8(ascii: "-"), UInt8(ascii: "_"): !isAddress
      default: false
      }
    }
    return isValid && (isAddress || !host.isEmpty) ? String(Substring(host)) : nil
  }

  /// Whether a host is an IP address. DNS rebinding needs a name, so any address may be called: those of a pod or a
  /// container, too, which the gateway need not know.
  private static func isAddress(_ host: String) -> Bool {
    (try? SocketAddress(ipAddress: host, port: 0)) != nil
  }

  /// The answer to a browser's preflight request.
  func preflight(_ head: HTTPCallHead) -> HTTPAnswer? {
    guard head.method == .OPTIONS, head.headers.contains(name: "access-control-request-method") else {
      return nil
    }
    var answer = HTTPAnswer.nothing
    answer.headers += [
      ("access-control-allow-methods", Self.allowedMethods),
      ("access-control-allow-headers", "authorization, content-type, traceparent, x-timestamp-ns"),
      ("access-control-max-age", "600"),
    ]
    return answer
  }

  /// - Parameter origin: the request's header of that name.
  func addHeaders(to answer: inout HTTPAnswer, origin: String?) {
    answer.headers += Self.headers
    if !answer.headers.contains(where: { $0.name == "cache-control" }) {
      answer.headers.append(("cache-control", "no-store"))
    }
    guard let origin else { return }
    answer.headers.append(("vary", "origin"))
    if origins.contains(origin.lowercased()) {
      answer.headers += [
        ("access-control-allow-origin", origin), ("access-control-expose-headers", "server-timing"),
      ]
    }
  }

  private static let headers: [(name: String, value: String)] = [
    (
      "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        + "media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
    ("permissions-policy", "camera=(self)"),
  ]
}
