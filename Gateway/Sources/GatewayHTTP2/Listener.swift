import FaceCore
package import GatewayServing
import Glibc
package import NIOCore
import NIOPosix

/// A server's listening socket. Used from any thread.
package struct Listener: Sendable {
  private let server: NIOLoopBound<any HTTP2Server>
  private let channel: any Channel

  /// Starts listening and taking connections. Throws `unavailable` with the address, the reason and what to do.
  ///
  /// - Parameters:
  ///   - flag: the flag that names the address, without dashes.
  ///   - makeServer: called on `loop`.
  package static func listen(
    _ address: ListenAddress, of flag: String, _ credentials: CredentialStore, on loop: any EventLoop,
    _ makeServer: @escaping @Sendable () -> any HTTP2Server
  ) async throws -> Listener {
    let server = try await loop.submit { NIOLoopBound(makeServer(), eventLoop: loop) }.get()
    let bootstrap = ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: ConnectionTable.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.recvAllocator, value: SocketReads())
      .childChannelOption(.maxMessagesPerRead, value: SocketReads.together)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let place = try server.value.connections.enter(channel)
          place.authoritiesVersion = credentials.authoritiesVersion
          try server.value.serve(channel, place, credentials.tls)
        }
      }
    do {
      let channel = try await bootstrap.bind(
        to: SocketAddress(ipAddress: address.host, port: address.port)
      ).get()
      return Listener(server: server, channel: channel)
    } catch {
      throw failure(error, flag, address)
    }
  }

  private static func failure(_ error: any Error, _ flag: String, _ address: ListenAddress) -> Status {
    let code = (error as? IOError)?.errnoCode
    let reason = code.map { String(cString: strerror($0)) } ?? "\(error)"
    let step =
      switch code {
      case EADDRINUSE: "stop the program that listens there, or choose another address with --\(flag)"
      case EADDRNOTAVAIL: "choose an address of this machine with --\(flag)"
      case EACCES: "choose a port from 1024 on with --\(flag)"
      default: "choose another address with --\(flag)"
      }
    return Status(.unavailable, "\(flag) cannot listen at \(address): \(reason); \(step)")
  }

  package var address: ListenAddress {
    ListenAddress(host: channel.localAddress?.ipAddress ?? "", port: channel.localAddress?.port ?? 0)
  }

  /// Tells clients that watch the health that the gateway is going to stop.
  package func announceStop() async {
    let server = server
    try? await channel.eventLoop.submit { server.value.connections.announceStop() }.get()
  }

  /// Stops taking connections and finishes the requests that have begun. Returns how many could not be answered in
  /// time.
  package func stop(within time: TimeAmount) async -> Int {
    try? await channel.close()
    let server = server
    let left = channel.eventLoop.flatSubmit { server.value.connections.stop(within: time) }
    return (try? await left.get()) ?? 0
  }
}
