import NIOCore

/// Joins small pieces that are flushed together, so that an answer of several frames is one write, and one record of TLS.
final class WriteCoalescer: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let maxPiece = 4096
  private static let maxJoined = 16 << 10

  private var joined = ByteBuffer()
  private var promises: [EventLoopPromise<Void>] = []

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let piece = unwrapOutboundIn(data)
    if piece.readableBytes > Self.maxPiece {
      pass(context)
      return context.write(wrapOutboundOut(piece), promise: promise)
    }
    if joined.readableBytes + piece.readableBytes > Self.maxJoined { pass(context) }
    joined.writeImmutableBuffer(piece)
    if let promise { promises.append(promise) }
  }

  func flush(context: ChannelHandlerContext) {
    pass(context)
    context.flush()
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    pass(context)
    context.close(mode: mode, promise: promise)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
    promises = []
  }

  private func pass(_ context: ChannelHandlerContext) {
    if joined.readableBytes == 0 { return }
    var promise: EventLoopPromise<Void>?
    if !promises.isEmpty {
      let waiting = promises
      promises = []
      let all = context.eventLoop.makePromise(of: Void.self)
      all.futureResult.whenComplete { result in for each in waiting { each.completeWith(result) } }
      promise = all
    }
    let whole = joined
    joined = ByteBuffer()
    context.write(wrapOutboundOut(whole), promise: promise)
  }
}
