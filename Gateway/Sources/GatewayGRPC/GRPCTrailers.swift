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

  /// - Parameter hasBegun: whether `begin` was sent; if not, its headers go into the trailers.
  static func failure(_ failure: CallFailure, hasBegun: Bool) -> HTTP2Fields {
    var headers = hasBegun ? HTTP2Fields() : begin
    headers.add("grpc-status", String(failure.status.code.rawValue))
    headers.add("grpc-message", percentEncoded(failure.status.message))
    if let encoded = failure.encoded {
      headers.add("grpc-status-details-bin", Data(encoded).base64EncodedString())
    }
    return headers
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
