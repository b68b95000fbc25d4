package import EngineLink
import FaceCore
import GatewayCoding
import NIOCore
import Wire

/// Forwards the RPCs of `faceengine.v1` to the engine, and its answers back, without decoding messages.
package struct EngineBridge: GRPCService {
  /// The prefix of the names of the engine's services.
  package static let package = package(of: detector)
  private static let detector = "\(Method.detect.service)"
  static let session = "\(Method.hello.service)"
  static let admin = "\(Method.info.service)"

  let link: EngineLink
  let allowsAdmin: Bool

  package init(link: EngineLink, allowsAdmin: Bool) {
    self.link = link
    self.allowsAdmin = allowsAdmin
  }

  /// The prefix of a service's name, up to the last point.
  static func package(of service: String) -> String {
    guard let point = service.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "" }
    return String(service[...point])
  }

  package func begin(_ call: GRPCCall) {
    switch call.head.service {
    case Self.session:
      return call.fail(
        CallFailure(
          .unimplemented, "the gateway manages its own sessions with the engine; call the Detector directly"))
    case Self.admin where !allowsAdmin:
      return call.fail(
        CallFailure(
          .permissionDenied, "Admin is not available here; start the gateway with --allow-admin"))
    default: break
    }
    link.services { result in
      switch result {
      case .success(let services):
        // Methods missing in the engine's description are sent as single calls: the engine refuses them and
        // names its methods.
        handle(call, services.methods[call.head.name] ?? .single)
      case .failure(let failure): call.fail(failure)
      }
    }
  }

  private func handle(_ call: GRPCCall, _ kind: EngineRequest.Kind) {
    let head = call.head
    let request = EngineRequest(
      service: head.service, method: head.method, timeout: head.timeout,
      metadata: head.metadata, kind: kind)
    if kind == .single {
      call.handle(
        by: UnaryHandler(call) { message, completion in
          // Not the captured one, which would hold the message until the call is answered.
          var filled = request
          filled.payload = call.holding(message)
          return link.call(filled, completion).cancel
        })
    } else {
      call.handle(by: StreamHandler(call, request, link))
    }
  }
}

/// Forwards the messages of a stream, in each direction as the other side has room.
private final class StreamHandler: GRPCHandler, EngineStreamReceiver {
  private let call: GRPCCall
  private var request: EngineRequest
  private let link: EngineLink
  private var stream: EngineStream?
  /// Whether the engine gets no more of the client's messages, though there may be some.
  private var isCut = false

  init(_ call: GRPCCall, _ request: EngineRequest, _ link: EngineLink) {
    self.call = call
    self.request = request
    self.link = link
    if request.kind == .messages { open() }
  }

  private func open() {
    let opened = link.open(request, self)
    request.payload = EngineMessage()
    stream = opened
  }

  // MARK: From the client

  var wantsMessage: Bool { stream.map { request.kind == .messages && $0.canSend } ?? true }

  var needsMessage: Bool { stream == nil }

  func received(_ message: EngineMessage) {
    if let stream { return stream.send(message) }
    // The only message.
    request.payload = message
    open()
  }

  func receivedEnd() { stream?.finish() }

  func cancelled() { stream?.cancel() }

  /// Lets the engine answer the frames that it has, and ends the stream: with UNAVAILABLE if the client may have sent
  /// more.
  func drainBegan() {
    isCut = request.kind == .messages && !call.hasAllMessages
    stream?.finish()
  }

  // MARK: From the engine

  func streamReceived(_ answer: ByteBuffer) {
    call.send(answer) { [weak self] in self?.stream?.delivered() }
  }

  func streamSent(_ byteCount: Int) {
    call.release(byteCount)
    call.resume()
  }

  func streamHasRoom() {
    // Not before the stream is known here.
    if stream != nil { call.resume() }
  }

  func streamEnded(_ failure: CallFailure?) {
    if let failure { return call.fail(failure) }
    if isCut { return call.fail(CallFailure(.unavailable, "the gateway is stopping; open the stream again")) }
    call.finish()
  }
}
