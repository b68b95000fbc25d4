import CallerOptions
import EngineLink
import FaceCore
import GatewayCoding
import GatewayServing
import NIOCore
import NIOHTTP1

/// A request and its answer, from the request's head on. Used on the event loop of its connection.
///
/// It is independent of the version of HTTP.
final class HTTPExchange {
  private enum State {
    case receiving(HTTPCallHead, HTTPRoutes.Route)
    case inflating
    /// The answer is being made.
    case answering(Task<Void, Never>)
    case over
  }

  private let server: HTTPServer
  private let peer: PeerAddress
  private let arrival = NIODeadline.now()
  private var state = State.over
  /// The body, as far as it is not in `upload`.
  private var body = ByteBuffer()
  /// The end of a picture, if one buffer has all of it but a short start.
  private var rest = ByteBuffer()
  /// A large picture, which is received there.
  private var upload: SharedUpload?
  private let share: RequestShare
  private var receivedByteCount = 0
  private var name = "other"
  private var caller: Caller
  /// How the body is compressed; `nil` if it is not.
  private var coding: ContentCoding?
  private var headers = HTTPHeaders()
  private var target = ""
  /// The most bytes of the body.
  private var limit = 0
  /// The length that the client says; 0 if it is not known.
  private var length = 0
  /// Whether the body is a file, and nothing else.
  private var isFile = false
  /// The length of a large body that has no room yet.
  private var unreserved: Int?
  /// Called when the client may send on, after `isWaiting`.
  private let resumed: () -> Void
  /// Takes the answer; called once, unless the exchange is cancelled.
  private var completion: ((HTTPAnswer) -> Void)?

  /// - Parameter certificateName: the name in the client's certificate, if it has one.
  init(
    _ server: HTTPServer, _ peer: PeerAddress, certificateName: String?, resumed: @escaping () -> Void,
    _ completion: @escaping (HTTPAnswer) -> Void
  ) {
    self.server = server
    share = RequestShare(server.memory, holder: peer.host)
    self.resumed = resumed
    self.peer = peer
    caller = Caller(certificateName: certificateName)
    self.completion = completion
  }

  /// Whether the body is wanted.
  var isReceiving: Bool { if case .receiving = state { true } else { false } }

  /// Whether the client is not to send on yet.
  var isWaiting: Bool { share.isWaiting }

  /// Begins with the head of a request. A request that may not begin is answered at once.
  ///
  /// - Parameters:
  ///   - isProbeOnly: whether the connection has a place that is kept for health checks.
  ///   - makeHead: parses the head.
  func begin(
    target: String, headers: HTTPHeaders, isProbeOnly: Bool, _ makeHead: () throws(Status) -> HTTPCallHead
  ) {
    self.target = target
    self.headers = headers
    do {
      let head = try makeHead()
      try server.browsers.admit(head)
      if let preflight = server.browsers.preflight(head) {
        name = "preflight"
        return finish(.ok, preflight)
      }
      let route = try server.routes.find(head)
      name = route.name
      try server.gate.admit(
        peer, headers["authorization"], route.access, isProbeOnly: isProbeOnly, &caller,
        at: server.loop.now)
      share.holder = caller.holder(at: peer)
      coding = try Self.coding(headers)
      limit = min(route.maxBodyBytes ?? .max, server.maxBodyBytes)
      length = headers.first(name: "content-length").flatMap { Int($0) } ?? 0
      isFile = route.takesPicture && coding == nil && !HTTPCall.isForm(headers)
      guard length <= limit else { throw isTooLarge }
      state = .receiving(head, route)
      if length > RequestMemory.unreserved { unreserved = length }
    } catch {
      fail(error)
    }
  }

  /// There is room for all of the body, or there was none for too long.
  private func hasRoom(for length: Int, _ failure: CallFailure?) {
    if !isReceiving { return }
    do {
      if let failure { throw failure }
      if isFile, length > SharedUpload.fewest {
        let upload = try SharedUpload(size: length)
        guard body.readableBytes <= upload.room else { throw isTooLarge }
        upload.append(body)
        body = ByteBuffer()
        self.upload = upload
      } else {
        body.reserveCapacity(length)
      }
      resumed()
    } catch {
      fail(error)
    }
  }

  /// How the body is compressed; `nil` if it is not. Throws 415 for an encoding that is not known.
  private static func coding(_ headers: HTTPHeaders) throws(HTTPFailure) -> ContentCoding? {
    switch headers.first(name: "content-encoding")?.lowercased() {
    case nil, "identity": return nil
    case "gzip", "x-gzip": return .gzip
    case "deflate": return .deflate
    case let encoding?:
      throw HTTPFailure(
        status: .unsupportedMediaType,
        failure: Status(
          .invalidArgument,
          "the body is compressed with \(encoding); use gzip, deflate or no compression (pictures are compressed already)"
        ))
    }
  }

  private var isTooLarge: CallFailure {
    if limit == 0 {
      return CallFailure(
        .resourceExhausted, "this path accepts no body (max_body); leave it out", .limit("max_body"))
    }
    let size = limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB"
    return CallFailure(
      .resourceExhausted,
      "the body has more than \(size) (max_body); scale a picture down, or raise --max-body if it allows more",
      .limit("max_body"))
  }

  func received(_ bytes: ByteBuffer) {
    receivedByteCount += bytes.readableBytes
    guard isReceiving else { return }
    guard receivedByteCount <= limit, bytes.readableBytes <= upload?.room ?? .max else {
      return fail(isTooLarge)
    }
    do throws(CallFailure) { try share.add(bytes.readableBytes) } catch { return fail(error) }
    if let upload { upload.append(bytes) } else { append(bytes) }
    guard let length = unreserved, receivedByteCount >= RequestMemory.begun else { return }
    unreserved = nil
    share.reserve(length - receivedByteCount) { [weak self] in
      self?.hasRoom(for: length, $0)
    } lost: { [weak self] in
      self?.fail($0)
    }
  }

  /// The bytes of a body that are copied rather than sent on as a buffer of their own: the start of a file, which is
  /// looked at.
  private static let starts = 64...4096

  private func append(_ bytes: ByteBuffer) {
    let isLast = isFile && receivedByteCount == length && bytes.readableBytes > Self.starts.upperBound
    if isLast, body.readableBytes == 0 {
      body = bytes
    } else if isLast, Self.starts ~= body.readableBytes {
      rest = bytes
    } else {
      if unreserved == nil, !isFile || body.readableBytes > 0 { body.reserveCapacity(length) }
      body.writeImmutableBuffer(bytes)
    }
  }

  /// The request is complete: its answer begins.
  func receivedEnd() {
    guard case .receiving(let head, let route) = state else { return }
    share.stopWaiting()
    // The upload may have taken long.
    guard server.gate.stillAdmits(&caller) else { return fail(RequestGate.expired) }
    guard let coding else { return run(head, route) }
    state = .inflating
    share.inflate(body, coding, limit: limit) { [weak self] result in
      guard let self, case .inflating = state else { return }
      do throws(CallFailure) {
        body = try result.get()
        run(head, route)
      } catch {
        fail(error)
      }
    }
  }

  private func run(_ head: HTTPCallHead, _ route: HTTPRoutes.Route) {
    let call = HTTPCall(head: head, body: body, rest: rest, caller: caller, upload: upload)
    // The client may be gone long before what it asked for has ended.
    let hold = share.splitAll()
    upload?.hold = hold
    let (loop, bound) = (server.loop, NIOLoopBound(self, eventLoop: server.loop))
    state = .answering(
      Task(executorPreference: route.isLong ? globalConcurrentExecutor : server.executor) {
        let result: Result<HTTPAnswer, any Error>
        do {
          let cost = try route.cost(call)
          let extra = cost == 0 ? nil : try await loop.submit { try bound.value.hold(cost) }.get()
          result = .success(try await route.run(call))
          withExtendedLifetime(extra) {}
        } catch {
          result = .failure(error)
        }
        withExtendedLifetime(hold) {}
        if loop.inEventLoop {
          bound.value.answered(result)
        } else {
          loop.execute { bound.value.answered(result) }
        }
      })
  }

  private func hold(_ byteCount: Int) throws(CallFailure) -> RequestHold {
    try share.add(byteCount)
    return share.splitAll()
  }

  private func answered(_ result: Result<HTTPAnswer, any Error>) {
    switch result {
    case .success(let answer): finish(.ok, answer)
    case .failure(let error): fail(error)
    }
  }

  func fail(_ error: any Error) {
    let (code, answer) = HTTPAnswer.answer(to: error, asText: server.routes.failsAsText(target))
    finish(code, answer)
  }

  /// The client has gone: what was begun is cancelled, and there is no answer.
  func cancelled() {
    if case .answering(let task) = state { task.cancel() }
    guard completion != nil else { return }
    completion = nil
    end()
    log(.cancelled, nil)
  }

  private func finish(_ code: StatusCode, _ answer: HTTPAnswer) {
    guard let completion = completion.take() else { return }
    end()
    var answer = answer
    server.browsers.addHeaders(to: &answer, origin: headers.first(name: "origin"))
    log(code, answer)
    completion(answer)
  }

  private func end() {
    state = .over
    share.end()
    (body, rest) = (ByteBuffer(), ByteBuffer())
    upload = nil
  }

  private func log(_ code: StatusCode, _ answer: HTTPAnswer?) {
    server.gate.log(
      "http", name, code, status: answer.map { Int($0.status.code) } ?? 499, since: arrival,
      receivedBytes: receivedByteCount, sentBytes: answer?.body.readableBytes ?? 0, peer, caller: caller,
      traceparent: Traceparent.valid(headers["traceparent"]))
  }
}
