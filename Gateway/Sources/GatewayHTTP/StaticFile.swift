import GatewayCoding
import NIOCore
import NIOHTTP1

/// A file that is the same for all callers: one copy in memory as it is, and one compressed when the gateway starts.
struct StaticFile: Sendable {
  private let type: String
  private let bytes: ByteBuffer
  /// `nil` if compressing does not make it smaller.
  private let gzip: ByteBuffer?
  /// Names the content, without quotes.
  private let tag: String

  init(_ bytes: ByteBuffer, type: String) {
    self.type = type
    self.bytes = bytes
    gzip = ContentCoding.gzipped(bytes)
    tag = ContentCoding.checksum(bytes)
  }

  /// The file, or 304 if the caller has it. Source: RFC 9110, sections 12.5.3 and 13.1.2.
  func answer(to call: HTTPCall) -> HTTPAnswer {
    let headers = call.head.headers
    let compressed = Self.takesGzip(headers) ? gzip : nil
    // Each representation has a tag of its own.
    let own = compressed == nil ? "\"\(tag)\"" : "\"\(tag)-gzip\""
    let known = headers[canonicalForm: "if-none-match"].map { $0.hasPrefix("W/") ? $0.dropFirst(2) : $0[...] }
    var answer =
      known.contains { $0 == own || $0 == "*" }
      ? HTTPAnswer(status: .notModified, type: "")
      : HTTPAnswer(type: type, body: compressed ?? bytes, isShared: true)
    answer.headers = [("cache-control", "no-cache"), ("etag", own), ("vary", "accept-encoding")]
    if compressed != nil, answer.status == .ok { answer.headers.append(("content-encoding", "gzip")) }
    return answer
  }

  private static func takesGzip(_ headers: HTTPHeaders) -> Bool {
    var qualities: [String: Double] = [:]
    for coding in headers[canonicalForm: "accept-encoding"] {
      let parts = coding.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
      qualities[parts.first ?? ""] = quality ?? 1
    }
    return qualities["gzip"] ?? qualities["x-gzip"] ?? qualities["*"] ?? 0 > 0
  }
}
