import NIOCore
import NIOHTTP1

/// Tells a connection how many bytes arrive before they are parsed, and drops them after its end.
final class HTTPByteCounter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: HTTPConnection

  init(_ connection: HTTPConnection) {
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if connection.arrived(unwrapInboundIn(data).readableBytes) { context.fireChannelRead(data) }
  }
}
