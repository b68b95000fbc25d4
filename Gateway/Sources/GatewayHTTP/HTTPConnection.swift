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

  enum Phase {
    /// Between requests, or inside a head.
    case idle
    /// A request is being received, and not answered yet.
    case receiving
    case answering
    /// The answer was written, and the client still sends its request.
    case discarding
    /// The last answer was written.
    case closing
  }

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
  var phase = Phase.idle
  var exchange: HTTPExchange?
  var request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
  /// The answer to a request whose rest is received before it is written.
  var postponed: HTTPAnswer?
  var isKeptAlive = true
  var isInputClosed = false
  /// What was received during an answer.
  var waiting = WaitingParts()
  var isTakingWaiting = false
  private var isReadWanted = false
  private var hasLargeReads = true
  /// Whether the client waits for the word that it may send its body.
  private var isContinueWanted = false
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
      switch phase {
      case .idle, .closing: close()
      case .receiving, .discarding: incomplete()
      case .answering: break
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is HTTPParserError else { return context.close(promise: nil) }
    switch phase {
    case .idle, .receiving:
      isKeptAlive = false
      // Nothing more of it can be understood.
      if let answer = postponed.take() { return write(answer) }
      if exchange == nil { begin(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"), failure: error) }
      exchange?.fail(error)
    case .answering: isKeptAlive = false
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
    if phase == .idle, rawByteCount == 0 { deadline = .now() + server.connections.headTimeout }
    // Without these, whose part of the body is not counted yet.
    let isTooMuch = rawByteCount > Self.maxRaw(bodyByteCount)
    rawByteCount += byteCount
    if phase == .closing {
      discarded()
      return false
    }
    if phase == .receiving || phase == .discarding, isTooMuch {
      isKeptAlive = false
      if exchange == nil { close() }
      exchange?.fail(Status(.invalidArgument, "the body's chunks are mostly extensions; send it without"))
    }
    return true
  }

  /// The most bytes that a body may take with its chunks' heads, which can be larger than the chunks.
  private static func maxRaw(_ bodyByteCount: Int) -> Int { (128 << 10) + 8 * bodyByteCount }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    decoder.passed(part)
    guard phase == .answering else { return handle(part) }
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
    switch (part, phase) {
    case (.head(let head), .idle): begin(head, failure: nil)
    case (.body(let bytes), .receiving):
      bodyByteCount += bytes.readableBytes
      exchange?.received(bytes)
    case (.end, .receiving): receivedEnd()
    case (.end, .discarding): next()
    default: break
    }
  }

  // MARK: Requests

  private func begin(_ head: HTTPRequestHead, failure: (any Error)?) {
    request = head
    phase = .receiving
    deadline = nil
    isKeptAlive =
      failure == nil && head.isKeepAlive && !server.connections.isStopping && !place.isSpare
    (rawByteCount, bodyByteCount, arrival) = (0, 0, TransferRate())
    if !head.hasBody(ofAtMost: Self.smallBody) { makeReadsLarge() }
    isContinueWanted = false
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
    guard exchange.isReceiving, let expected = head.headers.first(name: "expect") else { return }
    if expected.lowercased() == "100-continue" {
      isContinueWanted = true
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
    if isContinueWanted {
      let head = HTTPResponseHead(version: request.version, status: .continue)
      context?.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }
    isContinueWanted = false
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
    if let answer = postponed.take() { return write(answer, isRequestOver: true) }
    phase = .answering
    makeReadsSmall()
    deadline = nil
    place.requestBegan()
    exchange?.receivedEnd()
  }

  /// The client has ended its requests inside one.
  private func incomplete() {
    isKeptAlive = false
    exchange?.fail(ChannelError.inputClosed)
    if let answer = postponed.take() { write(answer) } else if phase == .discarding { close() }
  }

  // MARK: The end

  func sweep(_ now: NIODeadline) {
    if place.authoritiesVersion != server.authoritiesVersion {
      if phase == .idle { return close() }
      isKeptAlive = false
      if phase == .receiving { exchange?.fail(RequestGate.expired) }
    }
    if let deadline, now > deadline { return close() }
    let isArriving = phase == .receiving || phase == .discarding
    if !arrival.suffices(now, rawByteCount, isAwaited: isArriving && !isHeldBack, in: server.requestTimeout) {
      guard let exchange else { return close() }
      isKeptAlive = false
      exchange.fail(HTTPFailure.slow(server.requestTimeout))
    }
    writer?.sweep(now)
  }

  func placeLost() {}

  func announceStop() {}

  func drain() {
    if phase == .idle { close() }
  }

  /// Nobody takes an answer any more.
  private func cancel() {
    let isAnswering = phase == .answering
    phase = .closing
    waiting.removeAll()
    guard let exchange = exchange.take() else { return }
    if isAnswering { place.requestEnded() }
    exchange.cancelled()
  }

  func close() { context?.close(promise: nil) }
}
