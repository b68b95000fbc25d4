import NIOCore
import NIOHPACK

/// The headers that begin an RPC.
///
/// Source: grpc/grpc, doc/PROTOCOL-HTTP2.md.
struct GRPCHead {
  /// As in "faceengine.v1.Detector/Detect".
  private(set) var name = ""
  /// The two parts of the name.
  private(set) var service = ""
  private(set) var method = ""
  private(set) var httpMethod = ""
  private(set) var contentType = ""
  /// Of messages; "identity" for none.
  private(set) var encoding = "identity"
  /// Nanoseconds that the client waits; 0 for as long as it takes, below 0 when the time is over.
  private(set) var timeout: Int64 = 0
  private(set) var authorization: String?
  private(set) var traceparent: String?
  /// What a client adds to a call, without what belongs to this connection. Binary values stay in base64.
  private(set) var metadata: [(key: String, value: String)] = []

  init(_ headers: HPACKHeaders) {
    for (key, value, _) in headers {
      switch key {
      case ":path": setName(value)
      case ":method": httpMethod = value
      case "content-type": contentType = value
      case "grpc-encoding": encoding = value
      case "grpc-timeout": timeout = Self.timeout(value)
      case "authorization": authorization = value
      case "te", "user-agent", ":scheme", ":authority": continue
      case "traceparent":
        traceparent = value
        metadata.append((key, value))
      default:
        if !key.hasPrefix("grpc-") && !key.hasPrefix(":") { metadata.append((key, value)) }
      }
    }
  }

  var isGRPC: Bool { httpMethod == "POST" && contentType.hasPrefix("application/grpc") }

  private mutating func setName(_ path: String) {
    let bytes = path.utf8.dropFirst()
    let end = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
    name = String(path[bytes.startIndex...])
    service = String(path[bytes.startIndex..<end])
    method = end == bytes.endIndex ? "" : String(path[path.utf8.index(after: end)...])
  }

  /// 0 for what is no timeout.
  private static func timeout(_ text: String) -> Int64 {
    guard let unit = text.utf8.last, text.utf8.count <= 9, let value = Int64(text.dropLast()), value >= 0
    else { return 0 }
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
    guard let factor else { return 0 }
    let (product, overflow) = value.multipliedReportingOverflow(by: factor)
    return overflow ? 0 : product == 0 ? -1 : product
  }
}
