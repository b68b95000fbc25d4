import FaceCore
package import GatewayHTTP2
package import GatewayServing
package import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOTLS

/// Serves HTTP at one address: checks callers and origins, and passes requests to the routes. Used on one event loop.
package final class HTTPServer: HTTP2Server {
  let loop: any EventLoop
  let executor: LoopExecutor
  let routes: HTTPRoutes
  let gate: RequestGate
  let browsers: BrowserPolicy
  let memory: RequestMemory
  package let connections: ConnectionTable
  package let answers: AnswerBudget
  package let endsUploads = false
  package let maxHeaderBytes = HTTPListener.maxHeaderBytes
  let maxBodyBytes: Int
  /// The time in which a request's body arrives, a client takes its answer, and an idle connection stays open.
  package let requestTimeout: TimeAmount

  package init(
    loop: any EventLoop, routes: HTTPRoutes, gate: RequestGate, browsers: BrowserPolicy,
    memory: RequestMemory, answers: AnswerBudget, options: ServingOptions
  ) {
    self.loop = loop
    executor = LoopExecutor(loop)
    self.routes = routes
    self.gate = gate
    self.browsers = browsers
    self.memory = memory
    self.answers = answers
    maxBodyBytes = options.maxBody << 20
    requestTimeout = .seconds(Int64(options.requestTimeout))
    connections = ConnectionTable(loop, most: options.maxConnections, requestTimeout: requestTimeout)
  }

  package func makeHeadReader() -> any HTTP2HeadReader { HTTP2ExchangeReader(self) }
}

/// Listens for HTTP connections at one address.
package struct HTTPListener: Sendable {
  static let maxHeaderBytes = 32 << 10
  static let maxHeaderCount = 100
  private static let headLimits: NIOHTTPDecoderLimitConfiguration = {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = maxHeaderBytes
    limits.maxHeaderListSize = maxHeaderBytes
    limits.maxHeaderFieldCount = maxHeaderCount
    return limits
  }()

  private let server: NIOLoopBound<HTTPServer>
  private let channel: any Channel

  /// Starts listening and taking requests.
  ///
  /// - Parameter makeServer: called on `loop`.
  package static func listen(
    _ address: ListenAddress, _ credentials: CredentialStore, on loop: any EventLoop,
    _ makeServer: @escaping @Sendable () -> HTTPServer
  ) async throws -> HTTPListener {
    let server = try await loop.submit { NIOLoopBound(makeServer(), eventLoop: loop) }.get()
    let channel = try await ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: ConnectionTable.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.recvAllocator, value: SocketReads())
      .childChannelOption(.maxMessagesPerRead, value: SocketReads.together)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let place = try server.value.connections.enter(channel)
          guard let tls = credentials.tls else { return try Self.serveHTTP1(channel, place, server.value) }
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(NIOSSLServerHandler(context: tls.http))
          try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { result, channel in
              channel.eventLoop.makeCompletedFuture {
                if result == .negotiated("h2") {
                  try Self.serveHTTP2(channel, place, server.value)
                } else {
                  try Self.serveHTTP1(channel, place, server.value)
                }
              }
            })
        }
      }
      .bind(to: SocketAddress(ipAddress: address.host, port: address.port)).get()
    return HTTPListener(server: server, channel: channel)
  }

  private static func serveHTTP1(
    _ channel: any Channel, _ place: ConnectionTable.Place, _ server: HTTPServer
  ) throws {
    let connection = HTTPConnection(server, place)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(HTTPByteCounter(connection))
    try pipeline.addHandler(HTTPResponseEncoder())
    try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: headLimits)))
    try pipeline.addHandler(connection)
  }

  private static func serveHTTP2(
    _ channel: any Channel, _ place: ConnectionTable.Place, _ server: HTTPServer
  ) throws {
    try channel.pipeline.syncOperations.addHandler(
      HTTP2Connection(server, place, headTimeout: server.connections.headTimeout))
  }

  package var address: ListenAddress {
    ListenAddress(host: channel.localAddress?.ipAddress ?? "", port: channel.localAddress?.port ?? 0)
  }

  /// Stops taking connections and answers the requests that have begun.
  package func stop() async {
    try? await channel.close()
    let server = server
    try? await channel.eventLoop.flatSubmit { server.value.connections.stop() }.get()
  }
}
