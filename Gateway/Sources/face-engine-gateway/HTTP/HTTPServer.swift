import FaceCore
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle

import enum NIOHTTP1.HTTPParserError

/// Serves HTTP at one address: checks callers and origins, and passes requests to the routes.
struct HTTPServer: Sendable {
  let options: ServingOptions
  let tls: TLSSettings?
  let routes: HTTPRoutes
  let gate: RequestGate
  let browsers: BrowserPolicy
  let maxBodyBytes: Int

  /// Makes the service, which runs until it is told to shut down; requests that have begun are answered.
  ///
  /// - Parameter listening: called when it listens.
  func makeService(
    on group: any EventLoopGroup, listening: @escaping @Sendable () -> Void
  ) throws -> ServiceGroup {
    var logger = Logger(label: "http")
    logger.logLevel = .critical
    let channel = HTTP1Channel.Configuration(
      additionalChannelHandlers: [RequestDeadline(.seconds(Int64(options.requestTimeout)))],
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
    let plain = HTTPServerBuilder.http1(configuration: channel)
    let application = Application(
      responder: CallbackResponder { (request: Request, context: PeerContext) in
        await respond(request, context.peer)
      },
      server: try tls.map {
        try HTTPServerBuilder.tls(plain, tlsConfiguration: $0.configuration(protocols: ["http/1.1"]))
      } ?? plain,
      configuration: ApplicationConfiguration(
        address: .hostname(options.http.host, port: options.http.port),
        availableConnectionsDelegate: MaximumAvailableConnections(options.maxConnections)),
      onServerRunning: { channel in
        if let address = channel.localAddress {
          say("http listens at \(address.ipAddress ?? ""):\(address.port ?? 0)")
        }
        listening()
      },
      eventLoopGroupProvider: .shared(group), logger: logger)
    return ServiceGroup(configuration: .init(services: [application], logger: logger))
  }

  // MARK: One request

  private func respond(_ request: Request, _ peer: PeerAddress) async -> Response {
    let arrival = NIODeadline.now()
    var received = 0
    var code = StatusCode.ok
    var route = "other"
    var answer: HTTPAnswer
    do {
      try browsers.admit(request)
      if let preflight = browsers.preflight(request) {
        answer = preflight
        route = "preflight"
      } else {
        let call = try HTTPCall(request, limit: maxBodyBytes)
        let found = try routes.find(call)
        route = found.name
        try gate.admit(peer, authorization: request.headers[.authorization], isProbe: found.isProbe)
        answer = try await found.run(call)
        received = request.headers[.contentLength].flatMap { Int($0) } ?? 0
      }
    } catch {
      (code, answer) = Self.answer(to: error, asText: InferenceRoutes.serves(request.head.path))
    }
    var response = Response(
      status: answer.status,
      body: answer.body.readableBytes > 0 ? ResponseBody(byteBuffer: answer.body) : .init())
    if !answer.type.isEmpty { response.headers[.contentType] = answer.type }
    for (name, value) in answer.headers { response.headers[name] = value }
    browsers.addHeaders(to: &response, for: request)
    gate.counters.count("http", code, nanoseconds: (NIODeadline.now() - arrival).nanoseconds)
    gate.log.write(
      AccessLog.Entry(
        transport: "http", call: route, code: code, status: answer.status.code,
        microseconds: (NIODeadline.now() - arrival).nanoseconds / 1000, receivedBytes: received,
        sentBytes: answer.body.readableBytes, peer: peer.host,
        traceparent: HTTPField.Name("traceparent").flatMap { request.headers[$0] }))
    return request.method == .head ? response.createHeadResponse() : response
  }

  private static func answer(to error: any Error, asText: Bool) -> (StatusCode, HTTPAnswer) {
    let (failure, status, headers) = explain(error)
    var answer = HTTPAnswer.failure(failure, status: status, asText: asText)
    answer.headers = headers
    return (failure.code, answer)
  }

  /// The error, its HTTP status if that differs from its code's, and the headers that belong to it.
  private static func explain(
    _ error: any Error
  ) -> (Status, HTTPResponse.Status?, [(HTTPField.Name, String)]) {
    switch error {
    case let failure as HTTPFailure:
      (failure.failure, failure.status, failure.allowed.isEmpty ? [] : [(.allow, failure.allowed)])
    case let failure as CallFailure where failure.status.detail == .limit("max_message_bytes"):
      (failure.status, .contentTooLarge, [])
    case let failure as CallFailure:
      (
        failure.status, nil,
        failure.status.code == .unauthenticated ? [(.wwwAuthenticate, "Bearer")] : []
      )
    case let status as Status: (status, nil, [])
    case let error as HTTPParserError where error != .invalidEOFState:
      (Status(.invalidArgument, "the request is malformed: \(error); send HTTP/1.1"), nil, [])
    default: (Status(.cancelled, "the request did not arrive as a whole; send it again"), nil, [])
    }
  }
}

/// The context of a request: its sender.
struct PeerContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let peer: PeerAddress

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = PeerAddress(source.channel.remoteAddress)
  }
}
