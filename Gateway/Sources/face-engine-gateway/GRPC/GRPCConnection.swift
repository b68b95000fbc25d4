import FaceCore
import NIOCore
import NIOHPACK
import NIOHTTP2

/// The RPCs of one HTTP/2 connection: gives each its frames, opens the client's windows, and closes what is idle or dead.
///
/// There is no channel for each stream: a call is an entry in a table here, which costs a fraction of one.
final class GRPCConnection: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  /// Bytes of an RPC that a client may send before they are wanted.
  static let streamWindow = 256 << 10
  private static let connectionWindow = 1 << 20
  private static let defaultWindow = 65535
  private static let keepaliveTime = TimeAmount.seconds(60)
  private static let keepaliveTimeout = TimeAmount.seconds(20)
  /// How long a client without calls has to confirm that it has heard of the end.
  private static let goodbyeTimeout = TimeAmount.seconds(2)
  private static let keepalivePing = HTTP2PingData(withInteger: 1)
  private static let goodbyePing = HTTP2PingData(withInteger: 2)

  private enum Goodbye {
    /// Told that it should open no more streams; those that are on their way are served.
    case announced(NIODeadline)
    case final
  }

  private let server: GRPCServer
  private var context: ChannelHandlerContext?
  private var peer = PeerAddress(nil)
  private var calls: [HTTP2StreamID: GRPCCall] = [:]
  private var lastStream = HTTP2StreamID.rootStream
  private var isReading = false
  private var hasUnflushed = false
  private var lastRead = NIODeadline.now()
  private var lastCall = NIODeadline.now()
  private var pinged: NIODeadline?
  private var goodbye: Goodbye?

  init(_ server: GRPCServer) {
    self.server = server
  }

  // MARK: Events

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    peer = PeerAddress(context.remoteAddress)
  }

  func channelActive(context: ChannelHandlerContext) {
    server.opened(self)
    openWindow(of: .rootStream, by: Self.connectionWindow - Self.defaultWindow)
    flush()
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    let left = calls
    calls = [:]
    for call in left.values { call.closed() }
    server.closed(self)
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = true
    let frame = unwrapInboundIn(data)
    switch frame.payload {
    case .headers(let headers):
      if let call = calls[frame.streamID] {
        call.received(ByteBuffer(), isEnd: headers.endStream)
      } else {
        begin(frame.streamID, headers)
      }
    case .data(let data):
      guard case .byteBuffer(let bytes) = data.data else { return }
      calls[frame.streamID]?.received(bytes, isEnd: data.endStream)
    case .ping(let data, ack: true):
      if data == Self.goodbyePing { sayGoodbye() }
    default: return
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    lastRead = .now()
    if hasUnflushed { flush() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // Several for each call, so that their types are compared first, which costs less than a cast that fails.
    let type = type(of: event)
    if type == NIOHTTP2WindowUpdatedEvent.self {
      guard let window = event as? NIOHTTP2WindowUpdatedEvent, window.streamID == .rootStream else { return }
      // Bytes that nobody gets, as of a call that is over, count here as well.
      if let size = window.inboundWindowSize, size < Self.connectionWindow / 2 {
        openWindow(of: .rootStream, by: Self.connectionWindow - size)
        flush()
      }
    } else if type == StreamClosedEvent.self, let closed = event as? StreamClosedEvent {
      if let call = calls.removeValue(forKey: closed.streamID) {
        call.closed()
        lastCall = .now()
      }
      closeIfDone()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    // Of one stream, which has been reset.
    case is NIOHTTP2Errors.StreamError: return
    // A stream that was opened before its client heard of the end.
    case is NIOHTTP2Errors.NoSuchStream where goodbye != nil: return
    default: context.close(promise: nil)
    }
  }

  // MARK: Calls

  private func begin(_ stream: HTTP2StreamID, _ headers: HTTP2Frame.FramePayload.Headers) {
    lastStream = max(lastStream, stream)
    let head = GRPCHead(headers.headers)
    guard head.isGRPC else { return end(stream, GRPCTrailers.unsupported, isRemoteDone: headers.endStream) }
    let call = server.makeCall(head, peer, stream, self)
    calls[stream] = call
    server.begin(call)
    if headers.endStream { call.received(ByteBuffer(), isEnd: true) }
  }

  func write(_ stream: HTTP2StreamID, _ headers: HPACKHeaders) {
    write(HTTP2Frame(streamID: stream, payload: .headers(.init(headers: headers))))
  }

  /// - Parameter completion: called when the socket has taken it, which the client's window may delay.
  func write(_ stream: HTTP2StreamID, _ data: ByteBuffer, _ completion: (() -> Void)?) {
    let frame = HTTP2Frame(streamID: stream, payload: .data(.init(data: .byteBuffer(data))))
    guard let completion, let context else { return write(frame) }
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenSuccess { completion() }
    write(frame, promise)
  }

  /// Writes the headers that end an answer.
  ///
  /// - Parameter isRemoteDone: whether the client has said all that it had to say.
  func end(_ stream: HTTP2StreamID, _ trailers: HPACKHeaders, isRemoteDone: Bool) {
    let frame = HTTP2Frame(streamID: stream, payload: .headers(.init(headers: trailers, endStream: true)))
    guard let context, !isRemoteDone else {
      write(frame)
      return flush()
    }
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenSuccess { [weak self] in
      // It need not say more.
      guard let self, calls[stream] != nil else { return }
      write(HTTP2Frame(streamID: stream, payload: .rstStream(.noError)))
      flush()
    }
    write(frame, promise)
    flush()
  }

  /// A call has its status.
  func over(_ call: GRPCCall, _ code: StatusCode) { server.over(call, code) }

  /// Lets a client send more.
  func openWindow(of stream: HTTP2StreamID, by byteCount: Int) {
    write(HTTP2Frame(streamID: stream, payload: .windowUpdate(windowSizeIncrement: byteCount)))
    if isReading { hasUnflushed = true } else { flush() }
  }

  private func write(_ frame: HTTP2Frame, _ promise: EventLoopPromise<Void>? = nil) {
    guard let context else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    context.write(wrapOutboundOut(frame), promise: promise)
  }

  /// What was written goes out, when all that has come was read.
  func flush() {
    if isReading {
      hasUnflushed = true
    } else {
      hasUnflushed = false
      context?.flush()
    }
  }

  // MARK: The end

  /// Looks after what takes too long.
  func sweep(_ now: NIODeadline, idleTimeout: TimeAmount, requestTimeout: TimeAmount) {
    for call in Array(calls.values) { call.sweep(now, requestTimeout) }
    if let pinged {
      if lastRead >= pinged {
        self.pinged = nil
      } else if now - pinged > Self.keepaliveTimeout {
        return close()
      }
    } else if now - lastRead > Self.keepaliveTime {
      pinged = now
      write(HTTP2Frame(streamID: .rootStream, payload: .ping(Self.keepalivePing, ack: false)))
      flush()
    }
    guard calls.isEmpty else { return }
    if case .announced(let time)? = goodbye, now - time > Self.goodbyeTimeout { return close() }
    if goodbye == nil, now - lastCall > idleTimeout { announceGoodbye() }
  }

  /// The gateway is stopping.
  func drain() {
    announceGoodbye()
    for call in Array(calls.values) { call.drainBegan() }
  }

  /// Asks for no more streams. Those that the client opens before it hears of it are served: its answer to a PING tells that
  /// it has.
  private func announceGoodbye() {
    if goodbye != nil { return }
    goodbye = .announced(.now())
    write(
      HTTP2Frame(
        streamID: .rootStream, payload: .goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil)))
    write(HTTP2Frame(streamID: .rootStream, payload: .ping(Self.goodbyePing, ack: false)))
    flush()
  }

  private func sayGoodbye() {
    guard case .announced? = goodbye else { return }
    goodbye = .final
    write(
      HTTP2Frame(
        streamID: .rootStream,
        payload: .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil)))
    flush()
    closeIfDone()
  }

  private func closeIfDone() {
    guard case .final? = goodbye, calls.isEmpty, let context else { return }
    // Behind whatever is still to be written.
    let last = HTTP2Frame(
      streamID: .rootStream, payload: .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil))
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.close() }
    write(last, promise)
    flush()
  }

  private func close() { context?.close(promise: nil) }
}
