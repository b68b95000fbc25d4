import NIOCore
import Wire

/// Passes the frames of a channel to its connection, and the channel's end.
final class EngineFrameReceiver: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let connection: EngineConnection
  private var parser = FrameParser(limit: FrameHeader.maxLength)

  init(_ connection: EngineConnection) {
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    var offset = 0
    while let event = parser.next(bytes.readableBytesUInt8Span, &offset) {
      // Nothing else is sent by an engine.
      guard case .frame(let frame) = event else { return context.close(promise: nil) }
      connection.received(frame)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.closed()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
