import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client takes too long to send a request, however small the pieces that it sends.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The time from the connection's start, or the previous answer, to the end of a request's head, and again
  /// from there to the end of its body.
  private let time: TimeAmount
  private var timer: Scheduled<Void>?

  init(_ time: TimeAmount) {
    self.time = time
  }

  func handlerAdded(context: ChannelHandlerContext) { start(context) }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: start(context)
    case .body: break
    case .end: timer?.cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { start(context) }
    context.write(data, promise: promise)
  }

  private func start(_ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
  }
}
