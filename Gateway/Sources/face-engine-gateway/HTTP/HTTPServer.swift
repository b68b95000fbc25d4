import FaceCore
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Serves HTTP at one address: checks callers and origins, and passes requests to the routes. Used on one event loop.
final class HTTPServer {
  /// The longest time in which a TLS handshake is done, and a request's head arrives.
  static let maxHeadTimeout = TimeAmount.seconds(10)
  private static let sweepInterval = TimeAmount.seconds(1)

  let loop: any EventLoop
  let executor: LoopExecutor
  let routes: HTTPRoutes
  let gate: RequestGate
  let browsers: BrowserPolicy
  let budget: RequestBudget
  let table: ConnectionTable
  let maxBodyBytes: Int
  /// The time in which a request's body arrives, a client takes its answer, and an idle connection stays open.
  let requestTimeout: TimeAmount
  let headTimeout: TimeAmount
  private var connections: [ObjectIdentifier: HTTPConnection] = [:]
  private var stopped: EventLoopPromise<Void>?

  init(
    loop: any EventLoop, routes: HTTPRoutes, gate: RequestGate, browsers: BrowserPolicy,
    budget: RequestBudget,
    options: ServingOptions
  ) {
    self.loop = loop
    executor = LoopExecutor(loop)
    self.routes = routes
    self.gate = gate
    self.browsers = browsers
    self.budget = budget
    table = ConnectionTable(most: options.maxConnections)
    maxBodyBytes = options.maxBody << 20
    requestTimeout = .seconds(Int64(options.requestTimeout))
    headTimeout = min(Self.maxHeadTimeout, requestTimeout)
    scheduleSweep()
  }

  /// Whether connections are closed after their current answer.
  var isStopping: Bool { stopped != nil }

  func opened(_ connection: HTTPConnection) { connections[ObjectIdentifier(connection)] = connection }

  func closed(_ connection: HTTPConnection) {
    connections[ObjectIdentifier(connection)] = nil
    if connections.isEmpty { stopped?.succeed() }
  }

  /// Schedules one timer for all connections, so that requests need none.
  private func scheduleSweep() {
    loop.assumeIsolated().scheduleTask(in: Self.sweepInterval) { [weak self] in
      guard let self else { return }
      let now = NIODeadline.now()
      for connection in Array(connections.values) { connection.sweep(now) }
      scheduleSweep()
    }
  }

  /// Answers the requests that have begun. The future completes when no connection is left.
  func stop() -> EventLoopFuture<Void> {
    if let stopped { return stopped.futureResult }
    let promise = loop.makePromise(of: Void.self)
    stopped = promise
    if connections.isEmpty { promise.succeed() }
    for connection in Array(connections.values) { connection.drain() }
    return promise.futureResult
  }
}

/// Listens for HTTP connections at one address.
struct HTTPListener: Sendable {
  private static let headLimits: NIOHTTPDecoderLimitConfiguration = {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 16 << 10
    limits.maxHeaderListSize = 32 << 10
    limits.maxHeaderFieldCount = 100
    return limits
  }()

  private let server: NIOLoopBound<HTTPServer>
  private let channel: any Channel

  /// Starts listening and taking requests.
  ///
  /// - Parameter makeServer: called on `loop`.
  static func listen(
    _ address: ListenAddress, _ credentials: CredentialStore, on loop: any EventLoop,
    _ makeServer: @escaping @Sendable () -> HTTPServer
  ) async throws -> HTTPListener {
    let server = try await loop.submit { NIOLoopBound(makeServer(), eventLoop: loop) }.get()
    let channel = try await ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let connection = try HTTPConnection(server.value, channel)
          let pipeline = channel.pipeline.syncOperations
          if let tls = credentials.tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls.http)) }
          try pipeline.addHandler(HTTPByteCounter(connection))
          try pipeline.addHandler(HTTPResponseEncoder())
          try pipeline.addHandler(
            ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: headLimits)))
          try pipeline.addHandler(connection)
        }
      }
      .bind(to: SocketAddress(ipAddress: address.host, port: address.port)).get()
    return HTTPListener(server: server, channel: channel)
  }

  var address: ListenAddress {
    ListenAddress(host: channel.localAddress?.ipAddress ?? "", port: channel.localAddress?.port ?? 0)
  }

  /// Stops taking connections and answers the requests that have begun.
  func stop() async {
    try? await channel.close()
    let server = server
    try? await channel.eventLoop.flatSubmit { server.value.stop() }.get()
  }
}
