import FaceCore
import GRPCCore
import NIOCore

/// Passes the RPCs of `faceengine.v1` to the engine and its answers back, without opening a message.
struct EngineBridge {
  static let package = "faceengine.v1."

  let link: EngineLink
  let allowsAdmin: Bool
  let drain: DrainState

  func handle(_ exchange: GRPCExchange) async throws(CallFailure) {
    try checkService(exchange.service)
    let kind = try await kind(of: exchange)
    var request = EngineRequest(
      service: exchange.service, method: exchange.method, timeout: exchange.timeout,
      metadata: Self.passedOn(exchange.metadata), kind: kind)
    if kind == .messages { return try await relay(request, exchange) }
    guard let payload = try await exchange.requests.next() else {
      throw CallFailure(.internal, "the call has no message; send one")
    }
    request.payload = payload
    if kind == .single {
      try await exchange.replies.finish(with: Self.call(link, request, drain))
    } else {
      try await relay(request, exchange)
    }
  }

  /// A call of one answer, which ends in the engine when the client goes.
  static func call(
    _ link: EngineLink, _ request: EngineRequest, _ drain: DrainState
  ) async throws(CallFailure) -> ByteBuffer {
    let token = CallToken()
    return try await withRPCCancellationHandler { () async throws(CallFailure) in
      try await link.call(request, token)
    } onCancelRPC: {
      // Told of a drain as well, during which calls are finished.
      if !drain.isDraining { token.cancel() }
    }
  }

  private func checkService(_ service: String) throws(CallFailure) {
    if service == "faceengine.v1.Session" {
      throw CallFailure(.unimplemented, "Session is about connections to the engine; the gateway has its own")
    }
    if service == "faceengine.v1.Admin", !allowsAdmin {
      throw CallFailure(
        .permissionDenied, "Admin is not open here; start the gateway with --allow-admin to open it")
    }
  }

  private func kind(of exchange: GRPCExchange) async throws(CallFailure) -> EngineRequest.Kind {
    // One that the engine does not describe it refuses itself, with what there is.
    try await link.services().methods[exchange.name]?.kind ?? .single
  }

  /// What a client adds to a call, without what belongs to this connection.
  private static func passedOn(_ metadata: Metadata) -> [(key: String, value: String)] {
    let own: Set<String> = ["content-type", "te", "user-agent", "authorization"]
    return metadata.filter { !own.contains($0.key) && !$0.key.hasPrefix("grpc-") && !$0.key.hasPrefix(":") }
      .map { ($0.key, $0.value.encoded()) }
  }

  // MARK: Streams

  /// Messages of the client to the engine in one task, answers to the client in another.
  private func relay(_ request: EngineRequest, _ exchange: GRPCExchange) async throws(CallFailure) {
    let stream = try await link.open(request)
    let (requests, replies) = (exchange.requests, exchange.replies)
    let drain = drain
    let failure: CallFailure? = await withRPCCancellationHandler {
      nonisolated(unsafe) let sender = requests
      return await withTaskGroup(of: Void.self) { group in
        if request.kind == .messages {
          group.addTask { await Self.send(sender, to: stream) }
        }
        let failure = await Self.deliver(stream, to: replies)
        group.cancelAll()
        return failure
      }
    } onCancelRPC: {
      if drain.isDraining {
        // The frames that the engine has are answered.
        Task { await stream.finish() }
      } else {
        stream.cancel()
      }
    }
    if let failure { throw failure }
    try await replies.finish()
  }

  private static func send(_ requests: GRPCRequests, to stream: EngineStream) async {
    do throws(CallFailure) {
      while let message = try await requests.next() { try await stream.send(message) }
      await stream.finish()
    } catch  where error.status.code == .resourceExhausted {
      await stream.end(error)
    } catch {
      stream.cancel()
    }
  }

  /// - Returns: why the stream ended; `nil` when it came to its proper end.
  private static func deliver(_ stream: EngineStream, to replies: GRPCReplies) async -> CallFailure? {
    do throws(CallFailure) {
      while let message = try await stream.next() {
        try await replies.send(message)
        await stream.delivered()
      }
      return nil
    } catch {
      stream.cancel()
      return error
    }
  }
}
