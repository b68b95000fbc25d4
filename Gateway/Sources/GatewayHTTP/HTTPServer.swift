import FaceCore
package import GatewayHTTP2
package import GatewayServing
package import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// Serves HTTP at one address: checks callers and origins, and passes requests to the routes. Used on one event loop.
package final class HTTPServer: HTTP2Server {
  static let maxHeaderCount = 100
  private static let headLimits: NIOHTTPDecoderLimitConfiguration = {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = headerLimit
    limits.maxHeaderListSize = headerLimit
    limits.maxHeaderFieldCount = maxHeaderCount
    return limits
  }()
  private static let headerLimit = 32 << 10

  let loop: any EventLoop
  let executor: LoopExecutor
  let routes: HTTPRoutes
  let gate: RequestGate
  let browsers: BrowserPolicy
  let memory: RequestMemory
  package let connections: ConnectionTable
  package let answers: AnswerBudget
  package let endsUploads = false
  package var authoritiesVersion: Int { gate.credentials.authoritiesVersion }
  package let maxHeaderBytes = HTTPServer.headerLimit
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

  package func serve(
    _ channel: any Channel, _ place: ConnectionTable.Place, _ tls: TLSContexts?
  ) throws {
    // A client may close its side and wait for its answers.
    try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
    guard let tls else { return try serveHTTP1(channel, place) }
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(NIOSSLServerHandler(context: tls.http))
    let server = NIOLoopBound(self, eventLoop: loop)
    try pipeline.addHandler(
      ApplicationProtocolNegotiationHandler { result, channel in
        channel.eventLoop.makeCompletedFuture {
          guard result == .negotiated("h2") else { return try server.value.serveHTTP1(channel, place) }
          try channel.pipeline.syncOperations.addHandler(
            HTTP2Connection(server.value, place))
        }
      })
  }

  private func serveHTTP1(_ channel: any Channel, _ place: ConnectionTable.Place) throws {
    let decoder = RequestDecoder(Self.headLimits)
    let connection = HTTPConnection(self, place, decoder)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(HTTPByteCounter(connection))
    try pipeline.addHandler(HTTPResponseEncoder())
    try pipeline.addHandler(ByteToMessageHandler(decoder))
    try pipeline.addHandler(connection)
  }
}
