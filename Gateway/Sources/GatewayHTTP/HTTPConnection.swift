import FaceCore
import GatewayServing
import NIOCore
import NIOHTTP1
import NIOSSL

/// A connection of HTTP/1: passes each request to an exchange, and writes its answer before it looks at the next one.
final class HTTPConnection: ChannelDuplexHandler, ServedConnection {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPServerResponsePart

  /// A body above it is read in large pieces.
  private static let smallBody = 4 << 10

  let server: HTTPServer
  let place: ConnectionTable.Place
  private let decoder: RequestDecoder
  var context: ChannelHandlerContext?
  private lazy var unread = UnreadAnswers(
    server.answers, place.peer, timeout: server.requestTimeout
  ) { [weak self] in self?.close() }
  var writer: HTTPAnswerWriter?
  /// The name in the client's certificate, which is known when it calls.
  private lazy var certificateName: String? =
    (try? context?.pipeline.syncOperations.nioSSL_peerCertificate())?.callerName
  var state = HTTPConnectionState<HTTPAnswer>.idle
  var exchange: HTTPExchange?
  var request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
  var isKeptAlive = true
  var isInputClosed = false
  /// What was received during an answer.
  var waiting = WaitingParts()
  var isTakingWaiting = false
  private var isReadWanted = false
  private var hasLargeReads = true
  /// When the connection is closed unless its client makes progress.
  var deadline: NIODeadline?
  /// When a client that sends on after its last answer is cut off.
  var lingerEnd = NIODeadline.distantFuture
  /// The bytes received since the request's head, and those that were its body.
  var rawByteCount = 0
  private var bodyByteCount = 0
  private var arrival = TransferRate()

  init(_ server: HTTPServer, _ place: ConnectionTable.Place, _ decoder: RequestDecoder) {
    self.server = server
    self.decoder = decoder
    self.place = place
    deadline = .now() + server.connections.headTimeout
    place.connection = self
  }

  // MARK: Events

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    writer = HTTPAnswerWriter(context, unread)
    makeReadsSmall()
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    writer = nil
    unread.end()
    cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent {
      isInputClosed = true
      // A client that has sent its last request may still wait for the answer.
      if state.isArriving { incomplete() } else if !state.isAnswering { close() }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is HTTPParserError else { return context.close(promise: nil) }
    // Nothing more of it can be understood.
    isKeptAlive = false
    switch state {
    case .idle, .receiving:
      if state.isIdle { begin(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"), failure: error) }
      exchange?.fail(error)
    case .refused(let answer): write(answer)
    case .answering: break
    case .discarding, .closing: close()
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    writer?.resume()
    context.fireChannelWritabilityChanged()
  }

  func read(context: ChannelHandlerContext) {
    isReadWanted = isHeldBack
    if !isReadWanted { context.read() }
  }

  /// Bytes have come from the client.
  ///
  /// - Returns: whether they are still of use.
  func arrived(_ byteCount: Int) -> Bool {
    if state.isIdle, rawByteCount == 0 { deadline = .now() + server.connections.headTimeout }
    // Without these, whose part of the body is not counted yet.
    let isTooMuch = rawByteCount > Self.maxRaw(bodyByteCount)
    rawByteCount += byteCount
    if state.isClosing {
      discarded()
      return false
    }
    if state.isArriving, isTooMuch {
      isKeptAlive = false
      if exchange == nil { close() }
      exchange?.fail(Status(.invalidArgument, "the body's chunks are mostly extensions; send chunks without them"))
    }
    return true
  }

  /// The most bytes that a body may take with its chunks' heads, which can be larger than the chunks.
  private static func maxRaw(_ bodyByteCount: Int) -> Int { (128 << 10) + 8 * bodyByteCount }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    decoder.passed(part)
    guard state.isAnswering else { return handle(part) }
    waiting.append(part)
    // All that a client sent before it closed its side is read, whether it is wanted or not.
    if waiting.isTooMuch {
      cancel()
      close()
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    writer?.waitingByteCount = waiting.byteCount
    context.fireChannelReadComplete()
  }

  func handle(_ part: HTTPServerRequestPart) {
    switch (part, state) {
    case (.head(let head), .idle): begin(head, failure: nil)
    case (.body(let bytes), .receiving), (.body(let bytes), .refused):
      bodyByteCount += bytes.readableBytes
      exchange?.received(bytes)
    case (.end, .receiving), (.end, .refused): receivedEnd()
    case (.end, .discarding): next()
    default: break
    }
  }

  // MARK: Requests

  private func begin(_ head: HTTPRequestHead, failure: (any Error)?) {
    request = head
    let expected = failure == nil ? head.headers.first(name: "expect")?.lowercased() : nil
    state.apply(.head(isHeld: expected == "100-continue"))
    deadline = nil
    isKeptAlive =
      failure == nil && head.isKeepAlive && !server.connections.isStopping && !place.isSpare
    (rawByteCount, bodyByteCount, arrival) = (0, 0, TransferRate())
    if !head.hasBody(ofAtMost: Self.smallBody) { makeReadsLarge() }
    let exchange = HTTPExchange(
      server, place.peer, certificateName: certificateName, resumed: { [weak self] in self?.resumed() }
    ) { [weak self] answer in self?.answer(answer) }
    self.exchange = exchange
    if failure != nil { return }
    if let wrong = head.wrongCoding {
      isKeptAlive = false
      return exchange.fail(wrong)
    }
    exchange.begin(target: head.uri, headers: head.headers, isProbeOnly: place.isSpare) {
      () throws(Status) in
      try HTTPCallHead(
        head.method, target: head.uri, headers: head.headers, isHTTP10: head.version != .http1_1)
    }
    guard exchange.isReceiving, expected != nil else { return }
    if state.isHeld {
      if !exchange.isWaiting { resumed() }
    } else {
      exchange.fail(
        HTTPFailure(
          status: .expectationFailed,
          failure: Status(.invalidArgument, "Expect must be 100-continue; leave the header out")
        ))
    }
  }

  /// The client may send its body.
  private func resumed() {
    if state.apply(.released) {
      let head = HTTPResponseHead(version: request.version, status: .continue)
      context?.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }
    goOnReading()
  }

  func goOnReading() {
    guard isReadWanted, !isHeldBack else { return }
    isReadWanted = false
    context?.read()
  }

  /// Whether the client is not to send on yet.
  private var isHeldBack: Bool { waiting.isFull || exchange?.isWaiting == true }

  private func makeReadsLarge() {
    hasLargeReads = true
    changeReads { $0.makeLarge(expecting: request.contentLength) }
  }

  /// Between bodies: a large read of small requests would take many times its bytes, all at once.
  func makeReadsSmall() {
    guard hasLargeReads else { return }
    hasLargeReads = false
    changeReads { $0.makeSmall() }
  }

  private func changeReads(_ change: (inout SocketReads) -> Void) {
    guard let options = context?.channel.syncOptions,
      var reads = try? options.getOption(.recvAllocator) as? SocketReads
    else { return }
    change(&reads)
    try? options.setOption(.recvAllocator, value: reads)
  }

  private func receivedEnd() {
    if let answer = state.postponed { return write(answer, isRequestOver: true) }
    state.apply(.requestEnded)
    makeReadsSmall()
    deadline = nil
    place.requestBegan()
    exchange?.receivedEnd()
  }

  /// The client has ended its requests inside one.
  private func incomplete() {
    isKeptAlive = false
    exchange?.fail(ChannelError.inputClosed)
    if let answer = state.postponed { write(answer) } else if case .discarding = state { close() }
  }

  // MARK: The end

  func sweep(_ now: NIODeadline) {
    if place.authoritiesVersion != server.authoritiesVersion {
      if state.isIdle { return close() }
      isKeptAlive = false
      if !state.isAnswering { exchange?.fail(RequestGate.expired) }
    }
    if let deadline, now > deadline { return close() }
    let isAwaited = state.isArriving && !isHeldBack
    if !arrival.suffices(now, rawByteCount, isAwaited: isAwaited, in: server.requestTimeout) {
      guard let exchange else { return close() }
      isKeptAlive = false
      exchange.fail(HTTPFailure.slow(server.requestTimeout))
    }
    writer?.sweep(now)
  }

  func placeLost() {}

  func announceStop() {}

  func drain() {
    if state.isIdle { close() }
  }

  /// Nobody takes an answer any more.
  private func cancel() {
    let isAnswering = state.isAnswering
    state.apply(.close)
    waiting.removeAll()
    guard let exchange = exchange.take() else { return }
    if isAnswering { place.requestEnded() }
    exchange.cancelled()
  }

  func close() { context?.close(promise: nil) }
}
