import FaceCore
package import GatewayServing
package import NIOCore
import NIOSSL

/// A connection of HTTP/2: passes on what the client sends, writes the answers, and ends when it is idle or dead.
///
/// It is the only handler, and streams have no channels of their own: a request thus costs a fraction of what it
/// would cost with those.
package final class HTTP2Connection: ChannelDuplexHandler, ServedConnection {
  package typealias InboundIn = ByteBuffer
  package typealias OutboundIn = Never
  package typealias OutboundOut = ByteBuffer

  /// The largest piece in bytes that is passed to the socket, or to TLS.
  private static let maxPiece = 64 << 10
  /// The most bytes of the output buffer that are kept for reuse.
  private static let maxKept = 4096
  private static let keepaliveTime = TimeAmount.seconds(60)
  private static let keepaliveTimeout = TimeAmount.seconds(20)
  /// How long a client without calls has to acknowledge a GOAWAY.
  private static let goodbyeTimeout = TimeAmount.seconds(2)
  private static let keepalivePing: UInt64 = 1
  private static let goodbyePing: UInt64 = 2

  private enum Goodbye {
    /// The client was asked to open no more streams; those already on their way are served.
    case announced(NIODeadline)
    case final
  }

  let server: any HTTP2Server
  private let head: any HTTP2HeadReader
  private var context: ChannelHandlerContext?
  private var session: HTTP2Session?
  package let place: ConnectionTable.Place
  /// The name in the client's certificate, which is known when it calls.
  package private(set) lazy var certificateName: String? =
    (try? context?.pipeline.syncOperations.nioSSL_peerCertificate())?.callerName
  private let start = NIODeadline.now()
  private var hasBegun = false
  private var isReading = false
  private var isFlushing = false
  /// The output buffer. It is reused if the socket took all of it at once.
  private var output = ByteBuffer()
  private var lastRead = NIODeadline.now()
  private var lastRequest = NIODeadline.now()
  private var pinged: NIODeadline?
  private var goodbye: Goodbye?
  package private(set) lazy var unread = UnreadAnswers(
    server.answers, place.peer, timeout: server.requestTimeout
  ) { [weak self] in self?.close() }
  private var writtenByteCount = 0
  private var isReadWanted = false

  package init(_ server: any HTTP2Server, _ place: ConnectionTable.Place) {
    self.server = server
    head = server.makeHeadReader()
    self.place = place
    place.connection = self
  }

  // MARK: Events

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { begin() }
  }

  package func channelActive(context: ChannelHandlerContext) {
    begin()
    context.fireChannelActive()
  }

  private func begin() {
    guard session == nil else { return }
    session = HTTP2Session(self, head: head)
    if session == nil { close() }
    flush()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    for stream in session?.streams.values.map({ $0 }) ?? [] { stream.owner.take()?.closed() }
    session = nil
    unread.end()
    context.fireChannelInactive()
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let session else { return }
    hasBegun = true
    isReading = true
    let isValid = unwrapInboundIn(data).withUnsafeReadableBytes { session.receive($0) }
    isReading = false
    if !isValid { close() }
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    lastRead = .now()
    flush()
  }

  package func read(context: ChannelHandlerContext) {
    isReadWanted = isPaused
    if !isReadWanted { context.read() }
  }

  /// Whether nothing is read from a client that sends much and reads nothing. One whose windows are closed is
  /// read, since it may open them.
  private var isPaused: Bool { unread.isFull && context?.channel.isWritable == false }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    flush()
    if isReadWanted, !isPaused {
      isReadWanted = false
      context.read()
    }
    context.fireChannelWritabilityChanged()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  // MARK: Streams

  private var owners: [any HTTP2StreamOwner] { session?.streams.values.compactMap(\.owner) ?? [] }

  /// Begins an answer, which `flush` sends.
  package func begin(_ stream: HTTP2Stream, _ headers: HTTP2Fields) { session?.begin(stream, headers) }

  /// Writes a message, which `flush` sends.
  ///
  /// - Parameter completion: called when it was sent, which the client's window may delay.
  package func write(_ message: HTTP2Part, on stream: HTTP2Stream, _ completion: (() -> Void)?) {
    session?.send(message, on: stream, completion)
  }

  /// Ends an answer that was begun, and sends it.
  package func end(_ stream: HTTP2Stream, _ trailers: HTTP2Fields) {
    session?.end(stream, trailers)
    flush()
  }

  /// Sends an answer that has only headers.
  package func answer(_ stream: HTTP2Stream, _ headers: HTTP2Fields) {
    session?.answer(stream, headers)
    flush()
  }

  /// Lets a client send more.
  package func openWindow(of stream: HTTP2Stream, by byteCount: Int) {
    session?.openWindow(of: stream, by: byteCount)
    flush()
  }

  /// Lets a client send more at once, whether or not it has used its window.
  package func extendWindow(of stream: HTTP2Stream, by byteCount: Int) {
    session?.extendWindow(of: stream, by: byteCount)
    flush()
  }

  /// Ends a stream whose answer was sent, though the client keeps sending.
  package func reset(_ stream: HTTP2Stream) {
    session?.reset(stream.number)
    flush()
  }

  /// Sends as much output as the socket takes; the rest waits in its streams.
  package func flush() {
    // Everything received is read first.
    guard !isReading, !isFlushing, let context, let session else { return }
    isFlushing = true
    repeat {
      var isMore = true
      while isMore, context.channel.isWritable {
        output.clear(minimumCapacity: 512)
        guard session.write(to: &output, most: Self.maxPiece) else { return close() }
        isMore = output.readableBytes > 0
        if isMore {
          writtenByteCount += output.readableBytes
          context.writeAndFlush(wrapOutboundOut(output), promise: nil)
        }
      }
    } while session.tellSent()
    if output.storageCapacity > Self.maxKept { output = ByteBuffer() }
    isFlushing = false
    unread.set(session.unreadByteCount + (context.channel.isWritable ? 0 : 2 * Self.maxPiece))
    if session.isOver { closeBehind() }
  }

  /// The bytes that the socket has not taken yet.
  private var bufferedByteCount: Int {
    (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  private func sweepUnread(_ now: NIODeadline) {
    guard let session else { return }
    session.endUnread(now, in: TransferRate.period(server.requestTimeout))
    flush()
    let buffered = bufferedByteCount
    unread.sweep(now, taken: writtenByteCount - buffered, isBlocked: buffered > 0 || session.isHeld)
  }

  // MARK: The end

  package func sweep(_ now: NIODeadline) {
    if !hasBegun, now - start > server.connections.headTimeout { return close() }
    if place.authoritiesVersion != server.authoritiesVersion, !endUnknown(now) { return close() }
    for owner in owners { owner.sweep(now, server.requestTimeout) }
    sweepUnread(now)
    endUploads()
    if let pinged {
      if lastRead >= pinged {
        self.pinged = nil
      } else if now - pinged > Self.keepaliveTimeout {
        return close()
      }
    } else if now - lastRead > Self.keepaliveTime {
      pinged = now
      session?.ping(Self.keepalivePing)
      flush()
    }
    guard session?.streams.isEmpty ?? true else { return }
    if case .announced(let time)? = goodbye, now - time > Self.goodbyeTimeout { return close() }
    if goodbye == nil, now - lastRequest > server.requestTimeout * 5 { announceGoodbye() }
  }

  /// Ends the calls of a client whose certificate was checked with other authorities.
  ///
  /// - Returns: whether it may still read why.
  private func endUnknown(_ now: NIODeadline) -> Bool {
    if case .announced(let time)? = goodbye, now - time > Self.goodbyeTimeout { return false }
    for owner in owners { owner.certificateExpired() }
    announceGoodbye()
    return true
  }

  package func placeLost() { announceGoodbye() }

  /// Ends streams whose clients keep sending after their answer. Not at once: haproxy drops what it has not passed on
  /// yet of an answer whose stream is reset, such as its status.
  private func endUploads() {
    for stream in session?.streams.values.map({ $0 }) ?? [] {
      guard let count = stream.sweepsSinceAnswer else { continue }
      stream.sweepsSinceAnswer = count + 1
      if count == 1 { reset(stream) }
    }
  }

  /// Announces that the gateway is going to stop; it takes calls until then.
  package func announceStop() {
    for owner in owners { owner.stopAnnounced() }
  }

  /// Finishes the calls that have begun, since the gateway is stopping.
  package func drain() {
    announceGoodbye()
    for owner in owners { owner.drainBegan() }
  }

  /// Asks the client to open no more streams. Its answer to a PING confirms that it has read this.
  private func announceGoodbye() {
    if goodbye != nil { return }
    goodbye = .announced(.now())
    session?.announceEnd()
    session?.ping(Self.goodbyePing)
    flush()
  }

  /// Closes the connection after everything has been written.
  private func closeBehind() {
    guard let context else { return }
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.close() }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
  }

  private func close() { context?.close(promise: nil) }
}

/// The session's events. They arrive during `receive` or `write`; do not call either from them.
extension HTTP2Connection {
  /// A request has its whole head, which the head reader has.
  ///
  /// - Parameter isEnd: whether the client sends nothing more on the stream.
  func opened(_ stream: HTTP2Stream, isEnd: Bool) {
    head.open(stream, self)
    if isEnd { stream.owner?.receivedEnd() }
  }

  /// Bytes of a stream were received. They take up its window until `HTTP2Session.openWindow`.
  func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
    stream.owner?.received(bytes)
  }

  func receivedEnd(of stream: HTTP2Stream) { stream.owner?.receivedEnd() }

  func closed(_ stream: HTTP2Stream) {
    guard let owner = stream.owner.take() else { return }
    lastRequest = .now()
    owner.closed()
  }

  func ponged(_ value: UInt64) {
    guard value == Self.goodbyePing, case .announced? = goodbye else { return }
    goodbye = .final
    session?.refuseStreams()
  }
}
