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

  /// A request that was refused is received to its end if no more is left of it, so that the connection can be kept.
  private static let maxDiscarded = 256 << 10
  /// The bytes of further requests that are received during an answer.
  private static let maxWaiting = 64 << 10
  /// How long a client may still send after its last answer, so that it reads that rather than a reset.
  private static let lingerTime = TimeAmount.seconds(2)

  private enum Phase {
    /// Between requests, or inside a head.
    case idle
    /// A request is being received, and not answered yet.
    case receiving
    case answering
    /// The answer was written, and the request goes on.
    case discarding
    /// The last answer was written.
    case closing
  }

  private let server: HTTPServer
  private let place: ConnectionTable.Place
  private var context: ChannelHandlerContext?
  private lazy var unread = UnreadAnswers(
    server.answers, place.peer, timeout: server.requestTimeout
  ) { [weak self] in self?.close() }
  private var writer: HTTPAnswerWriter?
  /// The name in the client's certificate, which is known when it calls.
  private lazy var certificateName: String? =
    (try? context?.pipeline.syncOperations.nioSSL_peerCertificate())?.callerName
  private var phase = Phase.idle
  private var exchange: HTTPExchange?
  private var request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
  /// The answer to a request whose rest is received before it is written.
  private var postponed: HTTPAnswer?
  private var isKeptAlive = true
  private var isInputClosed = false
  /// What was received during an answer.
  private var waiting = CircularBuffer<HTTPServerRequestPart>()
  private var waitingByteCount = 0
  private var isTakingWaiting = false
  private var isReadWanted = false
  /// Whether the client waits for the word that it may send its body.
  private var isContinueWanted = false
  /// When the connection is closed unless it goes on.
  private var deadline: NIODeadline?
  /// The bytes received since the request's head, and those that were its body.
  private var rawByteCount = 0
  private var bodyByteCount = 0

  init(_ server: HTTPServer, _ place: ConnectionTable.Place) {
    self.server = server
    self.place = place
    deadline = .now() + server.connections.headTimeout
    place.connection = self
  }

  // MARK: Events

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    writer = HTTPAnswerWriter(context, unread)
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    writer = nil
    unread.end()
    if let exchange = exchange.take() {
      if phase == .answering { place.requestEnded() }
      exchange.cancelled()
    }
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
      if exchange == nil { begin(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"), failure: error) }
      exchange?.fail(error)
      // Nothing more of it can be understood.
      if let answer = postponed.take() { write(answer) }
    case .answering: isKeptAlive = false
    case .discarding, .closing: close()
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    writer?.resume()
    context.fireChannelWritabilityChanged()
  }

  func read(context: ChannelHandlerContext) {
    isReadWanted = waitingByteCount >= Self.maxWaiting || exchange?.isWaiting == true
    if !isReadWanted { context.read() }
  }

  /// Bytes have come from the client.
  func arrived(_ byteCount: Int) {
    if phase == .idle, rawByteCount == 0 { deadline = .now() + server.connections.headTimeout }
    rawByteCount += byteCount
    if phase == .receiving || phase == .discarding, rawByteCount > Self.maxRaw(bodyByteCount) {
      isKeptAlive = false
      guard let exchange else { return close() }
      exchange.fail(Status(.invalidArgument, "the body's chunks are mostly extensions; send it without"))
    }
  }

  /// The most bytes that a body may take with its chunks' heads, which can be larger than the chunks.
  private static func maxRaw(_ bodyByteCount: Int) -> Int { (128 << 10) + 8 * bodyByteCount }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    guard phase == .answering else { return take(part) }
    waiting.append(part)
    waitingByteCount += part.memorySize
  }

  private func take(_ part: HTTPServerRequestPart) {
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
    deadline = .now() + server.requestTimeout
    isKeptAlive =
      failure == nil && head.isKeepAlive && !server.connections.isStopping && !place.isSpare
    (rawByteCount, bodyByteCount) = (0, 0)
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
          failure: Status(.invalidArgument, "only Expect: 100-continue can be expected; leave the header out")
        ))
    }
  }

  /// The client may send its body.
  private func resumed() {
    deadline = .now() + server.requestTimeout
    if isContinueWanted { write(HTTPResponseHead(version: request.version, status: .continue)) }
    isContinueWanted = false
    goOnReading()
  }

  private func goOnReading() {
    guard isReadWanted else { return }
    isReadWanted = false
    context?.read()
  }

  private func receivedEnd() {
    if let answer = postponed.take() { return write(answer, isRequestOver: true) }
    phase = .answering
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

  // MARK: Answers

  private func answer(_ answer: HTTPAnswer) {
    exchange = nil
    if phase == .answering {
      place.requestEnded()
      return write(answer, isRequestOver: true)
    }
    // Refused before its end. A short rest is received, so that the connection stays in use.
    if isKeptAlive, !request.headers.contains(name: "expect"), isShort {
      postponed = answer
    } else {
      isKeptAlive = false
      write(answer)
    }
  }

  /// Whether the request's body is known to be short.
  private var isShort: Bool {
    if request.headers.contains(name: "transfer-encoding") { return false }
    return (request.headers.first(name: "content-length").flatMap { Int($0) } ?? 0) <= Self.maxDiscarded
  }

  private func write(_ head: HTTPResponseHead) {
    context?.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
  }

  private func write(_ answer: HTTPAnswer, isRequestOver: Bool = false) {
    // What a client sent before it closed its side is answered, too.
    if server.connections.isStopping || isInputClosed && waiting.isEmpty { isKeptAlive = false }
    var headers = HTTPHeaders(answer.fields)
    if !isKeptAlive {
      headers.add(name: "connection", value: "close")
    } else if request.version != .http1_1 {
      headers.add(name: "connection", value: "keep-alive")
    }
    // Of HTTP/1.0 the version, too, is HTTP/1.1: see RFC 9110, section 2.5.
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
    let body = request.method == .HEAD ? ByteBuffer() : answer.body
    phase = isRequestOver ? .answering : .discarding
    deadline = isRequestOver ? nil : .now() + server.requestTimeout
    writer?.write(head, body, isShared: answer.isShared) { [weak self] in self?.written() }
  }

  /// The client's system has taken the answer.
  private func written() {
    guard isKeptAlive else { return linger() }
    // Otherwise when the request is over.
    if phase == .answering { next() }
  }

  /// Goes on to the next request.
  private func next() {
    phase = .idle
    rawByteCount = 0
    deadline = .now() + server.requestTimeout
    // A request that is refused at once comes here again.
    if isTakingWaiting { return }
    isTakingWaiting = true
    while phase != .answering, phase != .closing, let part = waiting.popFirst() { take(part) }
    isTakingWaiting = false
    if waiting.isEmpty { waitingByteCount = 0 }
    if phase == .idle, isInputClosed { return close() }
    goOnReading()
  }

  /// Tells the client that there is no more, and reads what it still sends for a moment.
  private func linger() {
    guard let context else { return }
    phase = .closing
    waiting.removeAll()
    waitingByteCount = 0
    if isInputClosed { return close() }
    deadline = .now() + Self.lingerTime
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenFailure { [weak self] _ in self?.close() }
    context.close(mode: .output, promise: promise)
    context.read()
  }

  // MARK: The end

  func sweep(_ now: NIODeadline) {
    if let deadline, now > deadline { return close() }
    writer?.sweep(now)
  }

  func placeLost() {}

  func announceStop() {}

  func drain() {
    if phase == .idle { close() }
  }

  private func close() { context?.close(promise: nil) }
}
