import FaceCore
import GatewayHTTP2
package import GatewayServing
package import NIOCore
import NIOPosix
import NIOSSL

/// Listens for gRPC connections at one address.
package struct GRPCListener: Sendable {
  private let server: NIOLoopBound<GRPCServer>
  private let channel: any Channel

  /// Starts listening and taking calls.
  ///
  /// - Parameter makeServer: called on `loop`.
  package static func listen(
    _ address: ListenAddress, _ credentials: CredentialStore, on loop: any EventLoop,
    _ makeServer: @escaping @Sendable () -> GRPCServer
  ) async throws -> GRPCListener {
    let server = try await loop.submit { NIOLoopBound(makeServer(), eventLoop: loop) }.get()
    let channel = try await ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: ConnectionTable.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.recvAllocator, value: SocketReads())
      .childChannelOption(.maxMessagesPerRead, value: SocketReads.together)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let connections = server.value.connections
          let connection = HTTP2Connection(
            server.value, try connections.enter(channel), headTimeout: connections.headTimeout)
          let pipeline = channel.pipeline.syncOperations
          if let tls = credentials.tls {
            try pipeline.addHandler(NIOSSLServerHandler(context: tls.grpc))
          }
          try pipeline.addHandler(connection)
        }
      }
      .bind(to: SocketAddress(ipAddress: address.host, port: address.port)).get()
    return GRPCListener(server: server, channel: channel)
  }

  package var address: ListenAddress {
    ListenAddress(host: channel.localAddress?.ipAddress ?? "", port: channel.localAddress?.port ?? 0)
  }

  /// Tells clients that watch the health that the gateway is going to stop.
  package func announceStop() async {
    let server = server
    try? await channel.eventLoop.submit { server.value.connections.announceStop() }.get()
  }

  /// Stops taking connections and finishes the calls that have begun.
  package func stop() async {
    try? await channel.close()
    let server = server
    try? await channel.eventLoop.flatSubmit { server.value.connections.stop() }.get()
  }
}
