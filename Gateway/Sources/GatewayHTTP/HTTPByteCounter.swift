import NIOCore

/// Tells a connection how many bytes arrive before they are parsed.
final class HTTPByteCounter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: HTTPConnection

  init(_ connection: HTTPConnection) {
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.arrived(unwrapInboundIn(data).readableBytes)
    context.fireChannelRead(data)
  }
}
