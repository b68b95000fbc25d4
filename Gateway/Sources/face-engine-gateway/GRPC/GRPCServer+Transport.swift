import FaceCore
import GRPCNIOTransportHTTP2Posix
import NIOCore
import NIOPosix

extension GRPCServer {
  static func makeTransport(
    _ options: ServingOptions, _ group: MultiThreadedEventLoopGroup, _ connections: ConnectionLimit,
    maxMessageBytes: Int
  ) -> GRPCTransport {
    let address = options.grpc
    return GRPCTransport(
      address: address.isIPv6
        ? .ipv6(host: address.host, port: address.port) : .ipv4(host: address.host, port: address.port),
      transportSecurity: security(options),
      config: .defaults { config in
        // A message beyond the engine's limit is taken up to this, so that its sender learns the limit's name.
        config.rpc.maxRequestPayloadSize = 2 * maxMessageBytes
        config.http2.maxConcurrentStreams = 128
        // A whole image may be on its way.
        config.http2.targetWindowSize = 1 << 20
        config.http2.maxFrameSize = 1 << 16
        // Connections that bring no call are closed.
        config.connection.maxIdleTime = .seconds(5 * options.requestTimeout)
        // Those that do not answer that they have heard of it, too.
        config.connection.maxGraceTime = .seconds(max(1, options.drainTimeout))
        config.connection.keepalive.time = .seconds(60)
        config.connection.keepalive.timeout = .seconds(20)
        config.connection.keepalive.clientBehavior.allowWithoutCalls = true
        config.connection.keepalive.clientBehavior.minPingIntervalWithoutCalls = .seconds(10)
        // An answer is sent at once; several that are ready go together anyway.
        config.connection.flushCoalescing = nil
        config.channelDebuggingCallbacks.onAcceptTCPConnection = { connections.admit($0) }
        config.channelDebuggingCallbacks.onAcceptHTTP2Stream = { stream in
          connections.callCame(on: stream.parent)
          return stream.eventLoop.makeSucceededVoidFuture()
        }
      },
      eventLoopGroup: group)
  }

  private static func security(_ options: ServingOptions) -> GRPCTransport.TransportSecurity {
    guard let certificate = options.tlsCertificate, let key = options.tlsKey else { return .plaintext }
    return .tls(
      certificateChain: [.file(path: certificate, format: .pem)],
      privateKey: .file(path: key, format: .pem)
    ) { config in
      guard let authorities = options.clientCa else { return }
      config.clientCertificateVerification = .noHostnameVerification
      config.trustRoots = .certificates([.file(path: authorities, format: .pem)])
    }
  }
}
