import EngineLink
import FaceCore
import GatewayGRPC
import GatewayHTTP
import GatewayHTTP2
import GatewayInference
import GatewayMetrics
import GatewayServing
import Glibc
import NIOCore
import NIOPosix

/// The parts of a gateway: the link to the engine, and the gRPC and HTTP servers.
struct GatewayParts {
  private let options: ServingOptions
  private let drain = DrainState()
  private let log: AccessLog
  private let loop: any EventLoop
  /// Make the servers, on the event loop.
  private let makeGRPC: @Sendable () -> GRPCServer
  private let makeHTTP: @Sendable () -> HTTPServer
  private let sessions: SessionStore
  private let credentials: CredentialStore
  /// Called when the gateway listens at its addresses.
  private let listening: @Sendable () -> Void

  /// - Parameters:
  ///   - memory: the most bytes of requests.
  ///   - listening: called when the gateway listens at its addresses.
  init(
    _ options: ServingOptions, _ files: GatewayFiles, memory: Int, socket: String,
    listening: @escaping @Sendable () -> Void
  ) throws(Status) {
    self.options = options
    self.listening = listening
    log = AccessLog(isOn: !options.noAccessLog)
    // The engine's connections and both servers share a thread, so that a call stays on it.
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).any()
    self.loop = loop
    let engine = EngineClient(path: socket, maxChecks: options.maxChecks, loop: loop)
    let gate = RequestGate(
      credentials: files.credentials,
      rates: RateLimiter(rate: options.rate ?? 100, loopbackRate: options.rate ?? 0), log: log, drain: drain,
      counters: GatewayCounters())
    credentials = files.credentials
    let own = try ServiceDescriptors(ByteBuffer(bytes: PackageResources.gateway_set))
    let calls = FaceCalls(engine: engine)
    let requests = NIOLoopBoundBox.makeBoxSendingValue(
      RequestMemory(loop: loop, most: memory, patience: .milliseconds(Int64(options.requestTimeout) * 500)),
      eventLoop: loop)
    let gauges = NIOLoopBoundBox.makeBoxSendingValue(GatewayGauges(), eventLoop: loop)
    let answers = NIOLoopBoundBox.makeBoxSendingValue(AnswerBudget(loop), eventLoop: loop)
    let drain = drain
    let model = InferenceModel(calls: calls)
    let browsers = try BrowserPolicy(options)
    makeGRPC = {
      let link = engine.link.value
      var services: [String: any GRPCService] = [
        EngineBridge.package: EngineBridge(link: link, allowsAdmin: options.allowAdmin),
        HealthService.name: HealthService(link: link, drain: drain, own: Set(own.services)),
        InferenceService.name: InferenceService(model: model, drain: drain, loop: loop),
      ]
      for name in ReflectionService.names {
        services[name] = ReflectionService(link: link, allowsAdmin: options.allowAdmin, own: own)
      }
      let server = GRPCServer(
        loop: loop, services: services, gate: gate, memory: requests.value, answers: answers.value,
        options: options)
      gauges.value.add(server.connections, transport: "grpc")
      return server
    }
    let sessions = SessionStore(
      calls, gate.counters, files.credentials, idleTimeout: options.sessionTimeout, most: options.maxSessions)
    self.sessions = sessions
    makeHTTP = {
      gauges.value.add(engine.link.value, requests.value, answers.value, sessions)
      let server = HTTPServer(
        loop: loop,
        routes: HTTPRoutes(
          calls: calls, sessions: sessions, page: files.page, drain: drain,
          sections: [
            "metrics": MetricsPage(calls: calls, counters: gate.counters, gauges: gauges),
            "v2": InferenceRoutes(model: model, drain: drain),
          ]),
        gate: gate,
        browsers: browsers, memory: requests.value, answers: answers.value, options: options)
      gauges.value.add(server.connections, transport: "http")
      return server
    }
  }

  /// Serves until SIGTERM or SIGINT, then finishes the calls that have begun. Ends the process if an address
  /// cannot be listened at.
  func run() async {
    do {
      let stops = try GatewaySignal.sequence(of: [SIGTERM, SIGINT])
      let watch = Task {
        for await _ in stops {
          tellOperator("stops")
          drain.announce()
          return
        }
      }
      try await serve(until: watch)
    } catch {
      // If one of the servers fails, none serves.
      tellOperator((error as? Status)?.message ?? "cannot serve: \(error)")
      log.flush()
      exit(1)
    }
    log.flush()
  }

  private func serve(until stopped: Task<Void, Never>) async throws {
    let http =
      options.noHttp
      ? nil : try await Listener.listen(options.http, of: "http", credentials, on: loop, makeHTTP)
    let grpc =
      options.noGrpc
      ? nil : try await Listener.listen(options.grpc, of: "grpc", credentials, on: loop, makeGRPC)
    if let http { tellOperator("http listens at \(http.address)") }
    if let grpc { tellOperator("grpc listens at \(grpc.address)") }
    listening()
    let idle = Task {
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(1))
        await sessions.endIdle()
      }
    }
    await stopped.value
    await grpc?.announceStop()
    try? await Task.sleep(for: .seconds(options.drainDelay))
    drain.begin()
    idle.cancel()
    let time = TimeAmount.seconds(Int64(options.drainTimeout))
    async let ofHTTP = http?.stop(within: time) ?? 0
    async let ofGRPC = grpc?.stop(within: time) ?? 0
    guard await ofHTTP + ofGRPC == 0 else {
      throw Status(.unavailable, "calls are still running; ending without them")
    }
  }
}

extension GatewayGauges {
  fileprivate func add(_ connections: ConnectionTable, transport: String) {
    let label = (name: "transport", value: transport)
    add("face_gateway_connections", "Connections of clients.", label: label) {
      connections.ordinaryCount + connections.spareCount
    }
    add(
      "face_gateway_connections_evicted", "Connections closed to make room for others (--max-connections).",
      isCounter: true, label: label
    ) { connections.evictionCount }
  }

  fileprivate func add(
    _ link: EngineLink, _ requests: RequestMemory, _ answers: AnswerBudget, _ sessions: SessionStore
  ) {
    add("face_gateway_sessions", "Sessions of HTTP callers.") { sessions.count }
    add("face_gateway_checks", "Guided checks, over HTTP and gRPC.") { link.checkCount }
    let waiting = (
      "face_gateway_waiting", "Calls and streams that wait for room on a connection to the engine."
    )
    add(waiting.0, waiting.1, label: ("kind", "calls")) { link.waitingCallCount }
    add(waiting.0, waiting.1, label: ("kind", "streams")) { link.waitingStreamCount }
    add(
      "face_gateway_request_bytes", "Bytes of requests without an answer yet.", unit: "bytes"
    ) { requests.used }
    add("face_gateway_unread_bytes", "Bytes of answers that clients have not read yet.", unit: "bytes") {
      answers.byteCount
    }
  }
}
