import FaceCore
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL

/// Listens for connections of gRPC at one address.
struct GRPCListener: Sendable {
  private static let maxCalls = 128
  private static let maxHeaderBytes = 16 << 10
  private static let maxFrameBytes = 1 << 16
  /// PINGs and SETTINGS of a client: some measure the way with each call, so that there may be as many as calls; in a fifth
  /// of a second.
  private static let maxControlFrames = 4000
  /// Streams of a client that end in a reset, in ten seconds.
  private static let maxResets = 200

  private let server: NIOLoopBound<GRPCServer>
  private let channel: any Channel

  /// Calls are taken from now on.
  ///
  /// - Parameter makeServer: called on `loop`.
  static func listen(
    _ options: ServingOptions, _ tls: TLSSettings?, on loop: any EventLoop,
    _ makeServer: @escaping @Sendable () -> GRPCServer
  ) async throws -> GRPCListener {
    let tls = try tls.map { try NIOSSLContext(configuration: $0.configuration(protocols: ["h2"])) }
    let server = try await loop.submit { NIOLoopBound(makeServer(), eventLoop: loop) }.get()
    let channel = try await ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard server.value.admit(channel) else { throw ChannelError.alreadyClosed }
          let pipeline = channel.pipeline.syncOperations
          if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
          try pipeline.addHandlers(WriteCoalescer(), makeHTTP2(), GRPCConnection(server.value))
        }
      }
      .bind(to: SocketAddress(ipAddress: options.grpc.host, port: options.grpc.port)).get()
    return GRPCListener(server: server, channel: channel)
  }

  var address: ListenAddress {
    ListenAddress(host: channel.localAddress?.ipAddress ?? "", port: channel.localAddress?.port ?? 0)
  }

  /// Takes no more connections, and finishes the calls that have begun.
  func stop() async {
    try? await channel.close()
    let server = server
    try? await channel.eventLoop.flatSubmit { server.value.stop() }.get()
  }

  private static func makeHTTP2() -> NIOHTTP2Handler {
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: maxCalls),
      HTTP2Setting(parameter: .initialWindowSize, value: GRPCConnection.streamWindow),
      HTTP2Setting(parameter: .maxFrameSize, value: maxFrameBytes),
      HTTP2Setting(parameter: .maxHeaderListSize, value: maxHeaderBytes),
    ]
    // Nothing here is read as HTTP by anybody else, and what a call needs of its headers is looked at.
    connection.headerBlockValidation = .disabled
    connection.contentLengthValidation = .disabled
    connection.controlFrameRateLimit.maximumCount = maxControlFrames
    connection.controlFrameRateLimit.windowLength = .milliseconds(200)
    var stream = NIOHTTP2Handler.StreamConfiguration()
    stream.streamResetFrameRateLimit.maximumCount = maxResets
    stream.streamResetFrameRateLimit.windowLength = .seconds(10)
    return NIOHTTP2Handler(mode: .server, connectionConfiguration: connection, streamConfiguration: stream)
  }
}
