import FaceCore
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import NIOCore

/// Serves gRPC on one address: takes RPCs from the transport and hands them to the service that is named.
struct GRPCServer: Sendable {
  let transport: GRPCTransport
  let bridge: EngineBridge
  let health: HealthService
  let reflection: ReflectionService
  let inference: InferenceService
  let gate: RequestGate
  let maxMessageBytes: Int

  /// Serves until `stop`, and then until the calls that have begun are done.
  func run(on executor: LoopExecutor) async throws {
    try await withTaskExecutorPreference(executor) {
      try await transport.listen { stream, context in await serve(stream, context) }
    }
  }

  func stop() { transport.beginGracefulShutdown() }

  private func serve(
    _ stream: RPCStream<GRPCTransport.Inbound, GRPCTransport.Outbound>, _ context: ServerContext
  ) async {
    var iterator = stream.inbound.makeAsyncIterator()
    guard let first = try? await iterator.next(), case .metadata(let metadata) = first else { return }
    let exchange = GRPCExchange(
      service: stream.descriptor.service.fullyQualifiedService, method: stream.descriptor.method,
      metadata: metadata, peer: context.remotePeer, timeout: GRPCTimeout.parse(metadata),
      limit: maxMessageBytes, requests: GRPCRequests(iterator), replies: GRPCReplies(stream.outbound))
    var code = StatusCode.ok
    do throws(CallFailure) {
      try gate.admit(exchange)
      try await route(exchange)
    } catch {
      code = error.status.code
      await exchange.replies.fail(error)
    }
    gate.log(exchange, code)
  }

  private func route(_ exchange: GRPCExchange) async throws(CallFailure) {
    let service = exchange.service
    if service.hasPrefix(EngineBridge.package) { return try await bridge.handle(exchange) }
    if service == HealthService.name { return try await health.handle(exchange) }
    if service == InferenceService.name { return try await inference.handle(exchange) }
    if ReflectionService.names.contains(service) { return try await reflection.handle(exchange) }
    throw CallFailure(
      .unimplemented,
      "there is no service \(service) here; ask grpc.reflection.v1 for those that there are")
  }
}

/// Runs tasks on an event loop, so that what happens to a call changes no thread.
final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
