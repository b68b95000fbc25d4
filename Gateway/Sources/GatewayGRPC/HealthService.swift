package import EngineLink
import FaceCore
import GatewayCoding
package import GatewayServing
import NIOCore

/// Implements `grpc.health.v1.Health` with the engine's own health, whose messages are the same.
///
/// An engine that is gone is NOT_SERVING, and a Watch continues when it is back.
/// Source: grpc/grpc, src/proto/grpc/health/v1/health.proto and doc/health-checking.md.
package struct HealthService: GRPCService {
  package static let name = "grpc.health.v1.Health"

  /// The status in a `HealthCheckResponse`.
  private enum ServingStatus: UInt64 {
    case notServing = 2
  }

  let link: EngineLink
  let drain: DrainState
  /// The gateway's own services, which serve while the engine does.
  let own: Set<String>

  package init(link: EngineLink, drain: DrainState, own: Set<String>) {
    self.link = link
    self.drain = drain
    self.own = own
  }

  static let notServing: ByteBuffer = {
    var writer = ProtobufWriter()
    writer.varint(1, ServingStatus.notServing.rawValue)
    return writer.bytes
  }()

  package func begin(_ call: GRPCCall) {
    switch call.head.method {
    case "Check": call.handle(by: UnaryHandler(call) { check($0, timeout: call.head.timeout, $1) })
    case "Watch": call.handle(by: HealthWatch(call, self))
    default:
      call.fail(
        CallFailure(.unimplemented, "\(Self.name) has no method \(call.head.method); it has Check, Watch"))
    }
  }

  private func check(
    _ message: EngineMessage, timeout: Int64, _ completion: @escaping UnaryHandler.Completion
  ) -> () -> Void {
    if drain.isStopping {
      completion(.success(Self.notServing))
      return {}
    }
    let request: EngineRequest
    do throws(CallFailure) {
      request = try self.request(
        "Check", message, timeout: timeout > 0 ? min(timeout, FaceCalls.patience) : FaceCalls.patience)
    } catch {
      completion(.failure(error))
      return {}
    }
    return link.call(request) { result in
      if case .failure(let failure) = result, failure.isEngineDown {
        completion(.success(Self.notServing))
      } else {
        completion(result)
      }
    }.cancel
  }

  /// A request to the engine, with the engine's name for a service of the gateway.
  fileprivate func request(
    _ method: String, _ message: EngineMessage, timeout: Int64
  ) throws(CallFailure) -> EngineRequest {
    var request = EngineRequest(
      service: "faceengine.v1.Health", method: method, payload: message, timeout: timeout)
    try FaceCalls.coding { () throws(Status) in
      var reader = ProtobufReader(message.body)
      while let field = try reader.next() {
        if field.number == 1, let name = field.value.text, own.contains(name) {
          request.payload = EngineMessage()
        }
      }
    }
    return request
  }
}

/// Sends a client the state and each change of it, for as long as the client listens.
private final class HealthWatch: GRPCHandler, EngineStreamReceiver {
  private static let retryInterval = TimeAmount.seconds(1)

  private let call: GRPCCall
  private let service: HealthService
  private var request: EngineRequest?
  private var stream: EngineStream?
  private var retry: Scheduled<Void>?
  /// What the client was told last, and what the engine has said last.
  private var told: ByteBuffer?
  private var isTelling = false
  private var state: ByteBuffer?

  init(_ call: GRPCCall, _ service: HealthService) {
    self.call = call
    self.service = service
  }

  // MARK: From the client

  var wantsMessage: Bool { request == nil }

  var needsMessage: Bool { request == nil }

  func received(_ message: EngineMessage) {
    do throws(CallFailure) {
      var request = try service.request("Watch", message, timeout: call.head.timeout)
      request.kind = .answers
      self.request = request
    } catch {
      return call.fail(error)
    }
    if service.drain.isDraining { return drainBegan() }
    if service.drain.isStopping { stopAnnounced() } else { open() }
  }

  func receivedEnd() {
    if needsMessage { call.fail(CallFailure(.internal, "the call has no message; send one")) }
  }

  func cancelled() {
    stream?.cancel()
    retry?.cancel()
  }

  func stopAnnounced() {
    cancelled()
    state = HealthService.notServing
    tell()
  }

  func drainBegan() {
    stopAnnounced()
    call.fail(CallFailure(.unavailable, "the gateway is stopping; watch again when it runs"))
  }

  // MARK: From the engine

  private func open() {
    guard let request else { return }
    stream = service.link.open(request, self)
  }

  /// Tells the client the state if that is another one.
  private func tell() {
    guard request != nil, !isTelling else { return }
    guard let now = service.drain.isStopping ? HealthService.notServing : state, now != told else { return }
    told = now
    isTelling = true
    // Changes that come before the client has taken this one are one change.
    call.send(now) { [weak self] in
      self?.isTelling = false
      self?.tell()
    }
  }

  func streamReceived(_ state: ByteBuffer) {
    self.state = state
    tell()
    stream?.delivered()
  }

  func streamSent(_ byteCount: Int) {}

  func streamHasRoom() {}

  func streamEnded(_ failure: CallFailure?) {
    if let failure {
      guard failure.status.code == .unavailable else { return call.fail(failure) }
      state = HealthService.notServing
      tell()
    }
    retry = service.link.loop.assumeIsolated().scheduleTask(in: Self.retryInterval) { [weak self] in
      self?.open()
    }
  }
}
