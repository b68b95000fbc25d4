import FaceCore
import GatewayHTTP2
import GatewayServing
import NIOCore
import NIOHTTP1

/// Reads the heads of a connection's requests.
final class HTTP2ExchangeReader: HTTP2HeadReader {
  private unowned let server: HTTPServer
  private var fields: [(name: String, value: String)] = []
  private var headerCount = 0
  private var isTooLarge = false

  init(_ server: HTTPServer) {
    self.server = server
  }

  func begin() {
    fields = []
    headerCount = 0
    isTooLarge = false
  }

  func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    fields.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
    if name.first != UInt8(ascii: ":") { headerCount += 1 }
    if headerCount > HTTPServer.maxHeaderCount { isTooLarge = true }
  }

  func markTooLarge() { isTooLarge = true }

  func open(_ stream: HTTP2Stream, _ connection: HTTP2Connection) {
    let request = HTTP2Exchange(stream, connection, server)
    stream.owner = request
    request.begin(fields, isTooLarge: isTooLarge)
    fields = []
  }
}

/// A request of HTTP/2 and its answer.
final class HTTP2Exchange: HTTP2StreamOwner {
  /// The bytes that are received after the answer: some clients would not look at it before they have sent all.
  private static let maxDiscarded = 8 << 20

  private let stream: HTTP2Stream
  private let connection: HTTP2Connection
  private let server: HTTPServer
  private var exchange: HTTPExchange?
  private var isHead = false
  private var isCounted = false
  private var isReceived = false
  private var receivedByteCount = 0
  private var arrival = TransferRate()
  /// The bytes by which the client's window is still to be opened.
  private var unacknowledged = 0
  private var discardedByteCount = 0

  init(_ stream: HTTP2Stream, _ connection: HTTP2Connection, _ server: HTTPServer) {
    self.stream = stream
    self.connection = connection
    self.server = server
  }

  func begin(_ fields: [(name: String, value: String)], isTooLarge: Bool) {
    var headers = HTTPHeaders()
    var own: [String: String] = [:]
    for (name, value) in fields {
      if name.hasPrefix(":") { own[name] = value } else { headers.add(name: name, value: value) }
    }
    let method = HTTPMethod(rawValue: own[":method"] ?? "")
    isHead = method == .HEAD
    let exchange = HTTPExchange(
      server, connection.place.peer, certificateName: connection.certificateName,
      resumed: { [weak self] in self?.resumed() }
    ) { [weak self] answer in self?.answer(answer) }
    self.exchange = exchange
    if isTooLarge { return exchange.fail(HTTPParserError.headerOverflow) }
    if let failure = connection.unread.failure { return exchange.fail(failure) }
    let (target, authority) = (own[":path"] ?? "", own[":authority"])
    exchange.begin(target: target, headers: headers, isProbeOnly: connection.place.isSpare) {
      () throws(Status) in
      try HTTPCallHead(method, target: target, headers: headers, authority: authority)
    }
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    receivedByteCount += bytes.count
    exchange?.received(ByteBuffer(bytes: bytes))
    if exchange == nil {
      discardedByteCount += bytes.count
      if discardedByteCount > Self.maxDiscarded { return connection.reset(stream) }
    }
    unacknowledged += bytes.count
    if exchange?.isWaiting != true { openWindow() }
  }

  /// The client may send on.
  private func resumed() {
    openWindow()
  }

  private func openWindow() {
    connection.openWindow(of: stream, by: unacknowledged)
    unacknowledged = 0
  }

  func receivedEnd() {
    isReceived = true
    guard let exchange, exchange.isReceiving else { return }
    isCounted = true
    connection.place.requestBegan()
    exchange.receivedEnd()
  }

  func closed() {
    end()
    exchange.take()?.cancelled()
  }

  func sweep(_ now: NIODeadline, _ requestTimeout: TimeAmount) {
    let isAwaited = !isReceived && exchange?.isWaiting != true
    if arrival.suffices(now, receivedByteCount, isAwaited: isAwaited, in: requestTimeout) { return }
    if let exchange { exchange.fail(HTTPFailure.slow(requestTimeout)) } else { connection.reset(stream) }
  }

  func certificateExpired() { exchange?.fail(RequestGate.expired) }

  func stopAnnounced() {}

  func drainBegan() {}

  private func answer(_ answer: HTTPAnswer) {
    exchange = nil
    end()
    // The client, which may have waited for room, sends the rest before it looks at the answer.
    if !isReceived { openWindow() }
    var fields = HTTP2Fields([":status": "\(answer.status.code)"])
    for (name, value) in answer.fields { fields.add(name, value) }
    guard !isHead, answer.body.readableBytes > 0 else { return connection.answer(stream, fields) }
    connection.begin(stream, fields)
    connection.write(HTTP2Part(answer.body, isShared: answer.isShared), on: stream, nil)
    connection.end(stream, HTTP2Fields())
  }

  private func end() {
    if isCounted { connection.place.requestEnded() }
    isCounted = false
  }
}
