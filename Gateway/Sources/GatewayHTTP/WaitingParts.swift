import NIOCore
import NIOHTTP1

/// The requests that a client has sent before it has its last answer.
struct WaitingParts {
  /// The bytes of memory from which on no more is read.
  private static let most = 64 << 10
  /// The bytes that end the connection. Only a client that has closed its side can send so many.
  private static let tooMany = 1 << 20

  private var parts = CircularBuffer<HTTPServerRequestPart>()
  private(set) var byteCount = 0

  var isEmpty: Bool { parts.isEmpty }
  var isFull: Bool { byteCount >= Self.most }
  var isTooMuch: Bool { byteCount > Self.tooMany }

  mutating func append(_ part: HTTPServerRequestPart) {
    parts.append(part)
    byteCount += part.memorySize
  }

  mutating func popFirst() -> HTTPServerRequestPart? {
    guard let part = parts.popFirst() else { return nil }
    byteCount -= part.memorySize
    return part
  }

  mutating func removeAll() { self = WaitingParts() }
}

extension HTTPServerRequestPart {
  /// The bytes of memory that it takes, or somewhat more.
  fileprivate var memorySize: Int {
    switch self {
    case .head(let head):
      head.headers.reduce(256 + head.uri.utf8.count) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
    case .body(let bytes): 64 + bytes.readableBytes
    case .end: 64
    }
  }
}

extension HTTPRequestHead {
  var contentLength: Int { headers.first(name: "content-length").flatMap { Int($0) } ?? 0 }

  /// Whether its body, if it has one, is known to be short.
  func hasBody(ofAtMost byteCount: Int) -> Bool {
    !headers.contains(name: "transfer-encoding") && contentLength <= byteCount
  }
}
