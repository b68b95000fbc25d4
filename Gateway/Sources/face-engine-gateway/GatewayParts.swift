import FaceCore
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Glibc
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// The parts of a gateway, put together: the link to the engine, and the servers of gRPC and HTTP.
struct GatewayParts {
  private let options: ServingOptions
  private let drain = DrainState()
  private let log: AccessLog
  private let link: EngineLink
  private let grpcGroup: MultiThreadedEventLoopGroup
  private let httpGroup: MultiThreadedEventLoopGroup
  private let gate: RequestGate
  private let grpc: GRPCServer
  private let http: HTTPServer
  private let sessions: SessionStore

  /// Throws `invalidArgument` or `notFound` for options that cannot be served.
  init(_ options: ServingOptions, socket: String) throws(Status) {
    self.options = options
    log = AccessLog(isOn: !options.noAccessLog)
    let token = try options.tokenFile.map { (path) throws(Status) in
      let text = String(decoding: try TextFile.read(path), as: UTF8.self)
      return try AccessToken(String(text.prefix { !$0.isNewline }))
    }
    for path in [options.tlsCertificate, options.tlsKey, options.clientCa].compactMap({ $0 }) {
      _ = try TextFile.read(path)
    }
    // The engine's connections and gRPC share a thread: a call changes none on its way.
    grpcGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    link = EngineLink(path: socket, loop: grpcGroup.any())
    gate = RequestGate(
      token: token, rates: RateLimiter(rate: options.rate ?? 100, loopbackRate: options.rate ?? 0), log: log,
      drain: drain, counters: GatewayCounters())
    httpGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let own = try ServiceDescriptors(ByteBuffer(bytes: PackageResources.gateway_set))
    let calls = FaceCalls(link: link)
    let maxMessageBytes = EngineLimits().maxMessageBytes
    grpc = GRPCServer(
      transport: GRPCServer.makeTransport(
        options, grpcGroup,
        ConnectionLimit(
          options.maxConnections, timeout: .seconds(Int64(5 * options.requestTimeout))),
        maxMessageBytes: maxMessageBytes),
      bridge: EngineBridge(link: link, allowsAdmin: options.allowAdmin, drain: drain),
      health: HealthService(link: link, drain: drain, own: Set(own.services)),
      reflection: ReflectionService(link: link, allowsAdmin: options.allowAdmin, own: own),
      inference: InferenceService(model: InferenceModel(calls: calls), drain: drain), gate: gate,
      maxMessageBytes: maxMessageBytes)
    sessions = SessionStore(calls, idleTimeout: options.sessionTimeout, most: options.maxSessions)
    http = HTTPServer(
      options: options,
      routes: HTTPRoutes(
        calls: calls, sessions: sessions, page: PageFiles(folder: options.page ?? PageFiles.standardFolder()),
        metrics: MetricsPage(calls: calls, counters: gate.counters),
        inference: InferenceRoutes(model: InferenceModel(calls: calls), drain: drain), drain: drain),
      gate: gate,
      browsers: BrowserPolicy(hosts: options.hostName, origins: options.allowOrigin, address: options.http),
      maxBodyBytes: 2 * maxMessageBytes)
  }

  /// Serves until SIGTERM or SIGINT, and then finishes the calls that have begun. Ends the process when an address cannot be
  /// listened at.
  func run() async {
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    let watch = Task {
      for await signal in signals {
        say("stops: \(signal)")
        drain.begin()
        return
      }
    }
    do {
      try await serve(until: watch)
    } catch {
      // What cannot serve as it was told to serves nothing.
      say("cannot serve: \(error)")
      log.flush()
      exit(1)
    }
    log.flush()
  }

  private func serve(until stopped: Task<Void, Never>) async throws {
    let httpService = options.noHttp ? nil : try http.makeService(on: httpGroup)
    try await withThrowingTaskGroup(of: Void.self) { servers in
      if !options.noGrpc {
        servers.addTask { try await grpc.run(on: LoopExecutor(grpcGroup.any())) }
        servers.addTask {
          // Where there is none, the server itself tells why.
          guard let address = try? await grpc.transport.listeningAddress else { return }
          say("grpc listens at \(text(address))")
        }
      }
      if let httpService { servers.addTask { try await httpService.run() } }
      let idle = Task { await sessions.endIdle() }
      let stop = Task {
        await stopped.value
        Self.endLate(after: options.drainTimeout, log)
        grpc.stop()
        await httpService?.triggerGracefulShutdown()
        idle.cancel()
      }
      do {
        while try await servers.next() != nil {}
      } catch {
        // The other server goes on for as long as nobody stops it.
        stop.cancel()
        grpc.stop()
        await httpService?.triggerGracefulShutdown()
        throw error
      }
    }
  }

  /// Ends the process when calls are not done in time.
  private static func endLate(after seconds: Int, _ log: AccessLog) {
    Task {
      try? await Task.sleep(for: .seconds(seconds))
      say("calls are not done; ends without them")
      log.flush()
      exit(1)
    }
  }

  private func text(_ address: GRPCNIOTransportCore.SocketAddress) -> String {
    if let four = address.ipv4 { return "\(four.host):\(four.port)" }
    if let six = address.ipv6 { return "[\(six.host)]:\(six.port)" }
    return "\(address)"
  }
}

/// Tells the one who runs the gateway.
func say(_ text: String) {
  let line = Array("face-engine-gateway: \(text)\n".utf8)
  line.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
