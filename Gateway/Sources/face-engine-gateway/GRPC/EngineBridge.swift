import FaceCore
import NIOCore

/// Passes the RPCs of `faceengine.v1` to the engine and its answers back, without opening a message.
struct EngineBridge: GRPCService {
  /// The services of the engine, by what their names begin with.
  static let package = "faceengine.v1."

  let link: EngineLink
  let allowsAdmin: Bool

  /// What a service's name begins with, up to the last point.
  static func package(of service: String) -> String {
    guard let point = service.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "" }
    return String(service[...point])
  }

  func begin(_ call: GRPCCall) {
    switch call.head.service {
    case "faceengine.v1.Session":
      return call.fail(
        CallFailure(.unimplemented, "Session is about connections to the engine; the gateway has its own"))
    case "faceengine.v1.Admin" where !allowsAdmin:
      return call.fail(
        CallFailure(
          .permissionDenied, "Admin is not open here; start the gateway with --allow-admin to open it"))
    default: break
    }
    link.services { result in
      switch result {
      case .success(let services):
        // One that the engine does not describe it refuses itself, with what there is.
        handle(call, services.methods[call.head.name]?.kind ?? .single)
      case .failure(let failure): call.fail(failure)
      }
    }
  }

  private func handle(_ call: GRPCCall, _ kind: EngineRequest.Kind) {
    let head = call.head
    var request = EngineRequest(
      service: head.service, method: head.method, timeout: head.timeout,
      metadata: head.metadata, kind: kind)
    if kind == .single {
      call.handle(
        by: UnaryHandler(call) { message, completion in
          request.payload = message
          return link.call(request, completion).cancel
        })
    } else {
      call.handle(by: StreamHandler(call, request, link))
    }
  }
}

/// Passes the messages of a stream on, each way as the other side has room.
private final class StreamHandler: GRPCHandler, EngineStreamReceiver {
  private let call: GRPCCall
  private var request: EngineRequest
  private let link: EngineLink
  private var stream: EngineStream?

  init(_ call: GRPCCall, _ request: EngineRequest, _ link: EngineLink) {
    self.call = call
    self.request = request
    self.link = link
    if request.kind == .messages { open() }
  }

  private func open() {
    let opened = link.open(request, self)
    request.payload = ByteBuffer()
    stream = opened
  }

  // MARK: From the client

  var wantsMessage: Bool { stream.map { request.kind == .messages && $0.canSend } ?? true }

  var needsMessage: Bool { stream == nil }

  func received(_ message: ByteBuffer) {
    if let stream { return stream.send(message) }
    // The only one.
    request.payload = message
    open()
  }

  func receivedEnd() {
    guard let stream else {
      return call.fail(CallFailure(.internal, "the call has no message; send one"))
    }
    stream.finish()
  }

  func cancelled() { stream?.cancel() }

  /// The frames that the engine has are answered.
  func drainBegan() { stream?.finish() }

  // MARK: From the engine

  func streamReceived(_ answer: ByteBuffer) {
    call.send(answer) { [weak self] in self?.stream?.delivered() }
  }

  func streamSent(_ byteCount: Int) {
    call.release(byteCount + GRPCMessageReader.prefixSize)
    call.resume()
  }

  func streamHasRoom() {
    // Not before it is known here.
    if stream != nil { call.resume() }
  }

  func streamEnded(_ failure: CallFailure?) {
    if let failure { call.fail(failure) } else { call.finish() }
  }
}
