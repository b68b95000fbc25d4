import ArgumentParser
package import FaceCore
import Glibc
import NIOCore

/// An IP address with a port, as in "127.0.0.1:8080" or "[::1]:8080".
package struct ListenAddress: ExpressibleByArgument, CustomStringConvertible, Sendable {
  package var host: String
  package var port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  package init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"), let port = Int(argument[argument.index(after: colon)...]),
      (0...65535).contains(port)
    else { return nil }
    var host = argument[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    // A name could resolve to another address later.
    let text = host == "localhost" ? "127.0.0.1" : String(host)
    guard (try? SocketAddress(ipAddress: text, port: port)) != nil else { return nil }
    self.init(host: text, port: port)
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  var isLoopback: Bool { PeerAddress.isLoopback(host) }

  /// Begins to listen. Throws `unavailable` with the address, the reason and what to do.
  ///
  /// - Parameter flag: the flag that names the address, without dashes.
  package func explainingFailure<Listener>(
    of flag: String, _ listen: (ListenAddress) async throws -> Listener
  ) async throws(Status) -> Listener {
    do {
      return try await listen(self)
    } catch {
      let code = (error as? IOError)?.errnoCode
      let reason = code.map { String(cString: strerror($0)) } ?? "\(error)"
      let step =
        switch code {
        case EADDRINUSE: "stop the program that listens there, or choose another address with --\(flag)"
        case EADDRNOTAVAIL: "choose an address of this machine with --\(flag)"
        case EACCES: "choose a port from 1024 on with --\(flag)"
        default: "choose another address with --\(flag)"
        }
      throw Status(.unavailable, "\(flag) cannot listen at \(self): \(reason); \(step)")
    }
  }
}
