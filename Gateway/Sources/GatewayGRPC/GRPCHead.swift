import GatewayCoding
import GatewayHTTP2

/// The headers that begin an RPC.
///
/// Source: grpc/grpc, doc/PROTOCOL-HTTP2.md.
package struct GRPCHead {
  private(set) var path = GRPCPath()
  /// Whether it is an RPC and not another HTTP request.
  var isGRPC: Bool { isPost && content != nil }
  private var isPost = false
  /// How messages are encoded, as in "+proto"; "" as a rule, which is the same, and `nil` in what is no RPC.
  private(set) var content: String?
  var isProtobuf: Bool { content == "" || content == "+proto" }
  /// The encoding of messages; "identity" for none.
  private(set) var encoding = "identity"
  var isGzip: Bool { encoding == "gzip" }
  /// Whether there were more fields than are taken, so that some of them are missing.
  private(set) var isTooLarge = false
  /// Nanoseconds that the client waits; 0 for no limit, negative if the time is over.
  package private(set) var timeout: Int64 = 0
  /// A timeout that is malformed.
  private(set) var wrongTimeout: String?
  private(set) var authorization: [String] = []
  private var traceparents: [String] = []
  var traceparent: String? { Traceparent.valid(traceparents) }
  /// The caller's metadata, without fields that belong to this connection. Binary values stay in base64.
  var metadata: [(key: String, value: String)] {
    own + (traceparent.map { [("traceparent", $0)] } ?? [])
  }
  private var own: [(key: String, value: String)] = []

  /// The name, as in "faceengine.v1.Detector/Detect".
  var name: String { path.name }
  /// The two parts of the name.
  var service: String { path.service }
  package var method: String { path.method }

  /// - Parameter last: the path of the connection's last call, which is usually that of the next one, too.
  fileprivate mutating func add(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, last: GRPCPath
  ) {
    // Fields of most calls, compared without making a string.
    if name.reads(":path") {
      path = last.isMade(of: value) ? last : GRPCPath(value)
    } else if name.reads(":method") {
      isPost = value.reads("POST")
    } else if name.reads("content-type") {
      content = Self.content(value)
    } else if name.first != UInt8(ascii: ":"), !Self.isSkipped(name) {
      add(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
  }

  /// Drops what the caller added, since there is more of it than is taken. The name stays.
  fileprivate mutating func markTooLarge() {
    isTooLarge = true
    authorization = []
    own = []
  }

  private static func isSkipped(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    name.reads("te") || name.reads("user-agent") || name.reads("grpc-accept-encoding")
  }

  private mutating func add(_ key: String, _ value: String) {
    switch key {
    case "grpc-encoding": encoding = value
    case "grpc-timeout":
      if let given = Self.timeout(value) { timeout = given } else { wrongTimeout = value }
    case "authorization": authorization.append(value)
    case "traceparent": traceparents.append(value)
    default:
      if !key.hasPrefix("grpc-") { own.append((key, value)) }
    }
  }

  /// The part of a content type after "application/grpc"; `nil` for another type, as application/grpc-web.
  private static func content(_ value: UnsafeBufferPointer<UInt8>) -> String? {
    let type = "application/grpc".utf8
    guard value.starts(with: type) else { return nil }
    let rest = value.dropFirst(type.count).prefix { $0 != UInt8(ascii: ";") }
    return rest.isEmpty || rest.first == UInt8(ascii: "+") ? String(decoding: rest, as: UTF8.self) : nil
  }

  /// Parses a timeout: up to eight digits and a unit; `nil` for other text, and 0 for more than can be counted.
  private static func timeout(_ text: String) -> Int64? {
    let digits = text.utf8.dropLast()
    guard let unit = text.utf8.last, (1...8).contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let value = Int64(text.dropLast())
    else { return nil }
    let factor: Int64? =
      switch unit {
      case UInt8(ascii: "H"): 3_600_000_000_000
      case UInt8(ascii: "M"): 60_000_000_000
      case UInt8(ascii: "S"): 1_000_000_000
      case UInt8(ascii: "m"): 1_000_000
      case UInt8(ascii: "u"): 1000
      case UInt8(ascii: "n"): 1
      default: nil
      }
    guard let factor else { return nil }
    let (product, overflow) = value.multipliedReportingOverflow(by: factor)
    return overflow ? 0 : product == 0 ? -1 : product
  }
}

/// Reads the heads of a connection's calls.
final class GRPCHeadReader: HTTP2HeadReader {
  private unowned let server: GRPCServer
  private var head = GRPCHead()
  private var lastPath = GRPCPath()

  init(_ server: GRPCServer) {
    self.server = server
  }

  func begin() { head = GRPCHead() }

  func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    head.add(name, value, last: lastPath)
  }

  func markTooLarge() { head.markTooLarge() }

  func open(_ stream: HTTP2Stream, _ connection: HTTP2Connection) {
    lastPath = head.path
    server.begin(head, on: stream, connection)
  }
}

/// The name of the called RPC.
struct GRPCPath {
  let name: String
  let service: String
  let method: String

  init() { (name, service, method) = ("", "", "") }

  /// - Parameter text: the path, as in "/faceengine.v1.Detector/Detect".
  init(_ text: UnsafeBufferPointer<UInt8>) {
    let parts = text.dropFirst()
    let end = parts.firstIndex(of: UInt8(ascii: "/")) ?? parts.endIndex
    name = String(decoding: parts, as: UTF8.self)
    service = String(decoding: parts[..<end], as: UTF8.self)
    method = String(decoding: parts[end...].dropFirst(), as: UTF8.self)
  }

  func isMade(of text: UnsafeBufferPointer<UInt8>) -> Bool { text.dropFirst().elementsEqual(name.utf8) }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether these are the bytes of `text`. Compares the lengths first, since there is a comparison for each field.
  fileprivate func reads(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count))
  }
}
