package import ArgumentParser
package import FaceCore
import Posix

/// The gateway's addresses, and the rules for its callers.
package struct ServingOptions: ParsableArguments {
  package enum SandboxMode: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  @Option(help: "Address and port for HTTP. Port 0: any free port.")
  package var http = ListenAddress(host: "127.0.0.1", port: 8080)

  @Option(help: "Address and port for gRPC. Port 0: any free port.")
  package var grpc = ListenAddress(host: "127.0.0.1", port: 50051)

  @Flag(help: "Do not serve HTTP.")
  package var noHttp = false

  @Flag(help: "Do not serve gRPC.")
  package var noGrpc = false

  @Option(
    help: "Certificate chain of the gateway, a PEM file. HTTP and gRPC are then served over TLS.",
    completion: .file())
  var tlsCertificate: String?

  @Option(help: "Private key of the certificate, a PEM file.", completion: .file())
  var tlsKey: String?

  @Option(
    help: "Certificate authorities of clients, a PEM file. A client without a certificate is refused.",
    completion: .file())
  var clientCa: String?

  @Option(
    help:
      "File with the tokens that callers send as authorization: Bearer TOKEN. One per line, of 16 characters or more, after a name for the log, as in kiosk: TOKEN.",
    completion: .file()
  )
  var tokenFile: String?

  @Flag(help: "Allow other addresses than loopback without TLS or without tokens and client certificates.")
  var insecure = false

  @Option(
    help:
      "Host name by which browsers may reach the gateway, besides localhost and its address; may be repeated."
  )
  package var hostName: [String] = []

  @Option(help: "Origin whose pages may call, as in https://kiosk.example; may be repeated.")
  package var allowOrigin: [String] = []

  @Flag(help: "Let callers use faceengine.v1.Admin, which reports counters and models, and reloads models.")
  package var allowAdmin = false

  @Option(help: "Folder with the page's files. (default: the installed one)", completion: .directory)
  package var page: String?

  @Option(help: "Most connections at a time, for HTTP and gRPC each.")
  package var maxConnections = 256

  @Option(
    help:
      "Most calls per second from one client address; 0 for any number. (default: 100, and any number from this machine)"
  )
  package var rate: Double?

  @Option(
    help:
      "Seconds within which a client must send a request after its head, and its next request. It must read an answer at 1 KiB per second, measured over this time or 30 s."
  )
  package var requestTimeout = 60

  @Option(help: "Largest body of a request, or message, in MiB.")
  package var maxBody = 64

  @Option(help: "Seconds without frames after which a session ends.")
  package var sessionTimeout = 30

  @Option(help: "Most sessions at a time.")
  package var maxSessions = 64

  @Option(
    help:
      "Most guided checks at a time, over HTTP and gRPC. The engine allows 16, unless started with --limit checks-per-user."
  )
  package var maxChecks = 64

  @Option(
    help:
      "Seconds for which a stopping gateway still accepts calls while its health is NOT_SERVING, so that load balancers notice."
  )
  package var drainDelay = 0.0

  @Option(help: "Seconds to finish calls when the gateway stops, after --drain-delay.")
  package var drainTimeout = 10

  @Option(
    help:
      "Before accepting calls, permanently give up what the gateway does not need, where the kernel supports it: other files, outgoing connections, programs, system calls. off is for debuggers."
  )
  package var sandbox = SandboxMode.on

  @Flag(help: "Write no access log.")
  package var noAccessLog = false

  private static let maxDrainDelay = 600.0

  package init() {}

  package func validate() throws {
    guard !noHttp || !noGrpc else {
      throw ValidationError("--no-http and --no-grpc leave nothing to serve; leave one out.")
    }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key belong together; give both.")
    }
    guard clientCa == nil || tlsCertificate != nil else {
      throw ValidationError("--client-ca needs TLS; add --tls-certificate and --tls-key.")
    }
    guard maxConnections > 0, (1...384).contains(maxBody), maxSessions > 0, maxChecks > 0, requestTimeout > 0,
      sessionTimeout > 0, drainTimeout >= 0,
      (rate ?? 0) >= 0
    else {
      throw ValidationError(
        "--max-connections, --max-sessions, --max-checks, --request-timeout and --session-timeout must be above 0, and --max-body 1 to 384."
      )
    }
    guard (0...Self.maxDrainDelay).contains(drainDelay) else {
      throw ValidationError("--drain-delay must be 0 to \(Int(Self.maxDrainDelay)) seconds.")
    }
    if let page, !FileSystem.isReadable("\(page)/index.html") {
      throw ValidationError(
        "--page \(page) has no readable index.html; give the folder with the page's files.")
    }
    for origin in allowOrigin where !origin.contains("://") || origin.hasSuffix("/") {
      throw ValidationError(
        "--allow-origin \(origin) is not an origin; give one as in https://kiosk.example.")
    }
    if insecure { return }
    for address in addresses where !address.isLoopback {
      guard tlsCertificate != nil else {
        throw ValidationError(
          "\(address) can be reached from other machines, and pictures would travel unencrypted; add --tls-certificate and --tls-key, listen on 127.0.0.1, or add --insecure."
        )
      }
      guard tokenFile != nil || clientCa != nil else {
        throw ValidationError(
          "\(address) can be reached from other machines, and anybody could call; add --token-file or --client-ca, listen on 127.0.0.1, or add --insecure."
        )
      }
    }
  }

  /// The most bytes of requests: half of the memory that the process may use, and no more than 512 MiB.
  ///
  /// Throws `outOfRange` if the largest body does not fit into what large ones may take.
  package func requestMemory() throws(Status) -> Int {
    let limit = ControlGroups.memoryLimit
    let most = min(512 << 20, limit / 2)
    guard maxBody << 20 <= RequestMemory.mostReserved(of: most) else {
      throw Status(
        .outOfRange,
        "--max-body \(maxBody) needs \((maxBody * 8 + 2) / 3) MiB of memory, but the gateway may use only \(limit >> 20); lower --max-body, "
          + "or raise the memory limit of its service or container")
    }
    return most
  }

  package var addresses: [ListenAddress] { (noHttp ? [] : [http]) + (noGrpc ? [] : [grpc]) }
}
