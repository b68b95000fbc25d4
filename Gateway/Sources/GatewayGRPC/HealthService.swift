package import EngineLink
import FaceCore
import GatewayCoding
package import GatewayServing
import NIOCore
import Wire

/// Implements `grpc.health.v1.Health` with the engine's own health, whose messages are the same.
///
/// An engine that is gone is NOT_SERVING, and a Watch continues when it is back.
/// Source: grpc/grpc, src/proto/grpc/health/v1/health.proto and doc/health-checking.md.
package struct HealthService: GRPCService {
  package static let name = "grpc.health.v1.Health"
  /// The most bytes of a message: anybody may send one, and a watch keeps the name in it.
  static let maxMessageBytes = 1 << 10

  let link: EngineLink
  let drain: DrainState
  /// The gateway's own services, which serve while the engine does.
  let own: Set<String>
  private let watches: HealthWatches

  package init(link: EngineLink, drain: DrainState, own: Set<String>) {
    self.link = link
    self.drain = drain
    self.own = own
    watches = HealthWatches(link: link, own: own)
  }

  static let notServing: ByteBuffer = {
    var writer = ProtobufWriter()
    writer.varint(1, UInt64(ServingStatus.notServing.rawValue))
    return writer.bytes
  }()

  package func begin(_ call: GRPCCall) {
    switch call.head.method {
    case "Check": call.handle(by: UnaryHandler(call) { check($0, timeout: call.head.timeout, $1) })
    case "Watch": call.handle(by: HealthWatch(call, drain, watches))
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
        message, timeout: timeout > 0 ? min(timeout, FaceCalls.patience) : FaceCalls.patience)
    } catch {
      completion(.failure(error))
      return {}
    }
    return link.call(request) { result in
      if case .failure(let failure) = result {
        return completion(failure.isEngineDown ? .success(Self.notServing) : result)
      }
      link.tryStream { completion($0 == nil ? result : .success(Self.notServing)) }
    }.cancel
  }

  /// A request to the engine, with the engine's name for a service of the gateway.
  private func request(_ message: EngineMessage, timeout: Int64) throws(CallFailure) -> EngineRequest {
    var request = EngineRequest(.healthCheck, payload: message, timeout: timeout)
    if own.contains(try Self.service(of: message)) { request.payload = EngineMessage() }
    return request
  }

  /// The service that a request names.
  static func service(of message: EngineMessage) throws(CallFailure) -> String {
    try FaceCalls.coding { () throws(Status) in
      try ProtobufReader.fields(of: message.body)[1]?.text ?? ""
    }
  }
}

/// Sends a client the state and each change of it, for as long as the client listens.
final class HealthWatch: GRPCHandler {
  private let call: GRPCCall
  private let drain: DrainState
  private let watches: HealthWatches
  private(set) var service = ""
  /// What the client belongs to, until `healthFailed`.
  var health: WatchedHealth?
  private(set) var needsMessage = true
  private(set) var isWatching = false
  /// The state that was sent last, and the one to send next.
  private var told: ByteBuffer?
  private var isTelling = false
  private var state: ByteBuffer?

  init(_ call: GRPCCall, _ drain: DrainState, _ watches: HealthWatches) {
    self.call = call
    self.drain = drain
    self.watches = watches
  }

  // MARK: From the client

  var wantsMessage: Bool { needsMessage }

  func received(_ message: EngineMessage) {
    do throws(CallFailure) { service = try HealthService.service(of: message) } catch {
      return call.fail(error)
    }
    needsMessage = false
    call.release(message.byteCount)
    if drain.isDraining { return drainBegan() }
    if drain.isStopping { return stopAnnounced() }
    isWatching = true
    watches.join(self)
  }

  func cancelled() {
    isWatching = false
    health?.leave(self)
  }

  func stopAnnounced() {
    cancelled()
    state = HealthService.notServing
    sendState()
  }

  func drainBegan() {
    stopAnnounced()
    call.fail(CallFailure(.unavailable, "the gateway is stopping; watch again when it runs"))
  }

  /// Tells the client the state if that is another one.
  private func sendState() {
    guard !needsMessage, !isTelling else { return }
    guard let now = drain.isStopping ? HealthService.notServing : state, now != told else { return }
    told = now
    isTelling = true
    // Changes that come before the client has taken this one are one change.
    call.send(now) { [weak self] in
      self?.isTelling = false
      self?.sendState()
    }
  }

  // MARK: From the engine

  func healthChanged(_ state: ByteBuffer) {
    self.state = state
    sendState()
  }

  func healthFailed(_ failure: CallFailure) { call.fail(failure) }
}
