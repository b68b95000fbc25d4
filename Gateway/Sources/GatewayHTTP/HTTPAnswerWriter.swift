import GatewayServing
import NIOCore
import NIOHTTP1

/// Writes the answers of a connection of HTTP/1, one after the other, in pieces as its client takes them.
final class HTTPAnswerWriter {
  /// The largest piece in bytes that is passed to the socket, or to TLS.
  private static let maxPiece = 64 << 10
  /// The memory that an answer takes beside its body.
  private static let answerCost = 2 << 10

  private let context: ChannelHandlerContext
  private let unread: UnreadAnswers
  /// The bytes of memory of the answer that is being written, and of the requests behind it.
  private var answerByteCount = 0 { didSet { count() } }
  var waitingByteCount = 0 { didSet { count() } }
  private var rest = ByteBuffer()
  private var completion: (() -> Void)?
  private var isWriting = false
  private var writtenByteCount = 0

  init(_ context: ChannelHandlerContext, _ unread: UnreadAnswers) {
    self.context = context
    self.unread = unread
  }

  /// - Parameters:
  ///   - isShared: whether the body's memory is that of other answers, too.
  ///   - completion: called when the client's system has taken the answer.
  func write(
    _ head: HTTPResponseHead, _ body: ByteBuffer, isShared: Bool, _ completion: @escaping () -> Void
  ) {
    rest = body
    self.completion = completion
    answerByteCount = Self.answerCost + (isShared ? 0 : body.readableBytes)
    context.write(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
    resume()
  }

  /// Writes more, after the socket has taken something.
  func resume() {
    guard completion != nil, !isWriting else { return }
    isWriting = true
    while rest.readableBytes > Self.maxPiece {
      guard context.channel.isWritable else { return isWriting = false }
      write(Self.maxPiece)
      context.flush()
    }
    isWriting = false
    guard let completion = completion.take() else { return }
    if rest.readableBytes > 0 { write(rest.readableBytes) }
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenSuccess { [self] in
      answerByteCount = 0
      completion()
    }
    context.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: promise)
  }

  private func write(_ byteCount: Int) {
    guard let piece = rest.readSlice(length: byteCount) else { return }
    writtenByteCount += byteCount
    context.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(piece))), promise: nil)
  }

  private func count() { unread.set(answerByteCount + waitingByteCount) }

  /// Closes the connection if its client takes too little.
  func sweep(_ now: NIODeadline) {
    let buffered = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    unread.sweep(
      now, taken: writtenByteCount - buffered, isBlocked: buffered > 0 || rest.readableBytes > 0)
  }
}
