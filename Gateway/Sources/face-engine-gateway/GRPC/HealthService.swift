import FaceCore
import GRPCCore
import NIOCore

/// `grpc.health.v1.Health`, from the engine's own health, whose messages are the same.
///
/// An engine that is gone is NOT_SERVING, and a Watch goes on when it is back.
/// Source: grpc/grpc, src/proto/grpc/health/v1/health.proto and doc/health-checking.md.
struct HealthService {
  static let name = "grpc.health.v1.Health"

  private enum ServingStatus: UInt64 {
    case notServing = 2
  }

  let link: EngineLink
  let drain: DrainState
  /// Services of the gateway itself, which serve while the engine does.
  let own: Set<String>

  func handle(_ exchange: GRPCExchange) async throws(CallFailure) {
    guard let message = try await exchange.requests.next() else {
      throw CallFailure(.internal, "the call has no message; send one")
    }
    let request = EngineRequest(
      service: "faceengine.v1.Health", method: exchange.method, payload: try inEngineTerms(message),
      timeout: exchange.timeout)
    switch exchange.method {
    case "Check":
      try await exchange.replies.finish(with: try await check(request))
    case "Watch":
      try await watch(request, exchange.replies)
    default:
      throw CallFailure(.unimplemented, "\(Self.name) has no method \(exchange.method); it has Check, Watch")
    }
  }

  /// The state as an encoded HealthCheckResponse.
  func check(_ request: EngineRequest) async throws(CallFailure) -> ByteBuffer {
    if drain.isDraining { return Self.notServing }
    do throws(CallFailure) {
      return try await EngineBridge.call(link, request, drain)
    } catch  where error.status.code == .unavailable {
      return Self.notServing
    }
  }

  private static var notServing: ByteBuffer {
    var writer = ProtobufWriter()
    writer.varint(1, ServingStatus.notServing.rawValue)
    return writer.bytes
  }

  /// The request, with the engine's own name for a service of the gateway.
  private func inEngineTerms(_ message: ByteBuffer) throws(CallFailure) -> ByteBuffer {
    do throws(Status) {
      var reader = ProtobufReader(message)
      while let field = try reader.next() {
        if field.number == 1, let name = field.value.text, own.contains(name) { return ByteBuffer() }
      }
      return message
    } catch {
      throw CallFailure(error)
    }
  }

  private func watch(_ request: EngineRequest, _ replies: GRPCReplies) async throws(CallFailure) {
    var request = request
    request.kind = .answers
    let (link, drain) = (link, drain)
    let token = CallToken()
    try await withRPCCancellationHandler { () async throws(CallFailure) in
      var last: ByteBuffer?
      while !drain.isDraining {
        do throws(CallFailure) {
          let stream = try await link.open(request)
          token.arm { stream.cancel() }
          while let state = try await stream.next() {
            if state != last { try await replies.send(state) }
            last = state
          }
        } catch  where error.status.code == .unavailable || drain.isDraining {
          if last != Self.notServing { try await replies.send(Self.notServing) }
          last = Self.notServing
        }
        if token.isCancelled { break }
        try? await Task.sleep(for: .seconds(1))
      }
      if drain.isDraining, last != Self.notServing { try await replies.send(Self.notServing) }
      throw CallFailure(.unavailable, "the gateway is stopping; watch again when it runs")
    } onCancelRPC: {
      token.cancel()
    }
  }
}
