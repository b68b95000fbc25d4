import NIOCore
import NIOHTTP1

/// Decodes the requests of a connection of HTTP/1, and continues after one that asks for another protocol.
///
/// This server switches to none, so such a request is answered like any other and the next one is still HTTP/1: RFC
/// 9110, section 7.8. NIO's decoder reads nothing more after it, so another one takes its place.
final class RequestDecoder: ByteToMessageDecoder {
  typealias InboundOut = HTTPServerRequestPart

  private let limits: NIOHTTPDecoderLimitConfiguration
  private var decoder: HTTPRequestDecoder
  private var asksForAnotherProtocol = false
  private var isStopped = false

  init(_ limits: NIOHTTPDecoderLimitConfiguration) {
    self.limits = limits
    decoder = HTTPRequestDecoder(limitConfiguration: limits)
  }

  /// The connection has received a part.
  func passed(_ part: HTTPServerRequestPart) {
    switch part {
    case .head(let head): asksForAnotherProtocol = head.asksForAnotherProtocol
    case .body: break
    case .end: isStopped = asksForAnotherProtocol
    }
  }

  func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

  func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

  func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    var hasMore = true
    while hasMore {
      _ = try decoder.decode(context: context, buffer: &buffer)
      hasMore = isStopped && buffer.readableBytes > 0
      if isStopped { replace(context) }
    }
    return .needMoreData
  }

  private func replace(_ context: ChannelHandlerContext) {
    decoder.decoderRemoved(context: context)
    decoder = HTTPRequestDecoder(limitConfiguration: limits)
    decoder.decoderAdded(context: context)
    isStopped = false
  }

  func decodeLast(
    context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> DecodingState {
    try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
  }
}

extension HTTPRequestHead {
  fileprivate var asksForAnotherProtocol: Bool {
    method == .CONNECT
      || headers.contains(name: "upgrade")
        && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
  }
}
