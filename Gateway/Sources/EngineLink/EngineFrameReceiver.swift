import GatewayCoding
import NIOCore

/// Passes the frames of a channel to its connection, and the channel's end.
final class EngineFrameReceiver: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let connection: EngineConnection
  private var reader = EngineFrameReader()

  init(_ connection: EngineConnection) {
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    reader.append(unwrapInboundIn(data))
    do throws(CallFailure) {
      while let frame = try reader.next() { connection.received(frame) }
    } catch {
      context.close(promise: nil)
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
