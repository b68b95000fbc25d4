import FaceCore
import FoundationEssentials
import GatewayCoding
import GatewayHTTP2

/// The headers that begin and end the answer to an RPC.
///
/// Source: grpc/grpc, doc/PROTOCOL-HTTP2.md.
enum GRPCTrailers {
  static let begin = HTTP2Fields([
    ":status": "200", "content-type": "application/grpc", "grpc-accept-encoding": "identity,gzip",
  ])
  static let ok = HTTP2Fields(["grpc-status": "0"])
  /// The answer to requests that are not gRPC.
  static let unsupported = HTTP2Fields([":status": "415"])

  /// The most bytes of a message, and of its details. nghttp2 sends no more than 64 KiB of headers, and clients often
  /// take 8 KiB.
  private static let maxText = 2 << 10

  /// - Parameter hasBegun: whether `begin` was sent; if not, its headers go into the trailers.
  static func failure(_ failure: CallFailure, hasBegun: Bool) -> HTTP2Fields {
    var headers = hasBegun ? HTTP2Fields() : begin
    headers.add("grpc-status", String(failure.status.code.rawValue))
    headers.add("grpc-message", percentEncoded(cut(failure.status.message)))
    if let encoded = failure.encoded, encoded.count <= maxText {
      headers.add("grpc-status-details-bin", Data(encoded).base64EncodedString())
    }
    return headers
  }

  /// The text, or the beginning of one that is too long.
  private static func cut(_ text: String) -> String {
    guard text.utf8.count > maxText else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: maxText)
    // Not inside a character.
    while String.Index(end, within: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return text[..<end] + " and so on"
  }

  /// Percent-encodes a text; printable ASCII stays as it is, except for the percent sign.
  static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if (0x20...0x7e).contains(byte), byte != 0x25 {
        bytes.append(byte)
      } else {
        bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
