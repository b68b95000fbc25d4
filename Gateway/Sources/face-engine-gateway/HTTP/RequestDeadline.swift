import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client takes too long to send a request, however small the pieces are that it sends.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// From the connection's beginning, or the answer before, to the end of a request's head.
  private let head: TimeAmount
  /// From there to the end of its body.
  private let body: TimeAmount
  private var timer: Scheduled<Void>?

  init(head: TimeAmount = .seconds(60), body: TimeAmount = .seconds(60)) {
    self.head = head
    self.body = body
  }

  func handlerAdded(context: ChannelHandlerContext) { start(head, context) }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: start(body, context)
    case .body: break
    case .end: timer?.cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { start(head, context) }
    context.write(data, promise: promise)
  }

  private func start(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
  }
}
