import GatewayServing
import NIOCore
import NIOHTTP1

extension HTTPConnection {
  /// A request that was refused is received to its end if no more is left of it, so that the connection can be kept.
  private static let maxDiscarded = 256 << 10
  /// How long a client may be silent after its last answer. What it still sends is read, so that it reads the answer
  /// rather than a reset: RFC 9112, section 9.6.
  private static let lingerTime = TimeAmount.seconds(2)

  func answer(_ answer: HTTPAnswer) {
    exchange = nil
    if state.isAnswering {
      place.requestEnded()
      return write(answer, isRequestOver: true)
    }
    // Refused before its end. A short rest is received, so that the connection stays in use.
    if isKeptAlive, !request.headers.contains(name: "expect"),
      request.hasBody(ofAtMost: Self.maxDiscarded)
    {
      state.apply(.refused(answer))
    } else {
      isKeptAlive = false
      write(answer)
    }
  }

  func write(_ answer: HTTPAnswer, isRequestOver: Bool = false) {
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
    state.apply(isRequestOver ? .requestEnded : .answeredEarly)
    deadline = nil
    writer?.write(head, body, isShared: answer.isShared) { [weak self] in self?.written() }
  }

  /// The client's system has taken the answer.
  private func written() {
    if state.isClosing { return }
    guard isKeptAlive else { return linger() }
    // Otherwise when the request is over.
    if state.isAnswering { next() }
  }

  func next() {
    state.apply(state.isAnswering ? .answerTaken : .requestEnded)
    makeReadsSmall()
    rawByteCount = 0
    deadline = .now() + server.requestTimeout
    // A request that is refused at once comes here again.
    if isTakingWaiting { return }
    isTakingWaiting = true
    while !state.isAnswering, !state.isClosing, let part = waiting.popFirst() { handle(part) }
    isTakingWaiting = false
    writer?.waitingByteCount = waiting.byteCount
    if state.isIdle, isInputClosed { return close() }
    goOnReading()
  }

  /// Bytes came after the last answer.
  func discarded() {
    if rawByteCount > server.maxBodyBytes { return close() }
    deadline = min(.now() + Self.lingerTime, lingerEnd)
  }

  /// Tells the client that there is no more, and reads what it still sends.
  private func linger() {
    guard let context else { return }
    state.apply(.close)
    waiting.removeAll()
    writer?.waitingByteCount = 0
    if isInputClosed { return close() }
    rawByteCount = 0
    lingerEnd = .now() + server.requestTimeout
    deadline = .now() + Self.lingerTime
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenFailure { [weak self] _ in self?.close() }
    context.close(mode: .output, promise: promise)
    context.read()
  }
}
