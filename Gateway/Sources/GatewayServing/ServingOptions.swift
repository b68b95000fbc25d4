package import ArgumentParser
package import FaceCore
import Posix

/// The gateway's addresses, and the rules for its callers.
package struct ServingOptions: ParsableArguments {
  package enum SandboxMode: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  @Option(help: "Address and port of HTTP; port 0 for any that is free.")
  package var http = ListenAddress(host: "127.0.0.1", port: 8080)

  @Option(help: "Address and port of gRPC; port 0 for any that is free.")
  package var grpc = ListenAddress(host: "127.0.0.1", port: 50051)

  @Flag(help: "Do not serve HTTP.")
  package var noHttp = false

  @Flag(help: "Do not serve gRPC.")
  package var noGrpc = false

  @Option(help: "Certificate chain of the gateway, a PEM file: both are served over TLS.")
  var tlsCertificate: String?

  @Option(help: "Its private key, a PEM file.")
  var tlsKey: String?

  @Option(help: "Certificate authorities of clients, a PEM file: a client without a certificate is refused.")
  var clientCa: String?

  @Option(
    help:
      "A file with the tokens that callers send as authorization: Bearer TOKEN, one a line, of 16 characters or more, with a name for the log before it, as in kiosk: TOKEN."
  )
  var tokenFile: String?

  @Flag(help: "Listen on other addresses than loopback without TLS or without knowing callers.")
  var insecure = false

  @Option(
    help: "A name that browsers may reach the gateway by, beside localhost and its address; may be repeated.")
  package var hostName: [String] = []

  @Option(help: "An origin whose pages may call, as in https://kiosk.example; may be repeated.")
  package var allowOrigin: [String] = []

  @Flag(help: "Open faceengine.v1.Admin, which reports counters and models and reloads models, to callers.")
  package var allowAdmin = false

  @Option(help: "Folder with the files of the page. (default: the installed one)")
  package var page: String?

  @Option(help: "Connections of each of HTTP and gRPC at a time.")
  package var maxConnections = 256

  @Option(
    help: "Calls a second of one client address; 0 for any number. (default: 100, of this machine any number)"
  )
  package var rate: Double?

  @Option(
    help:
      "Seconds that a client has to send a request after its head, and to send another one. Of an answer it reads 1 KiB a second, measured over this time or 30 s."
  )
  package var requestTimeout = 60

  @Option(help: "Mebibytes of a request's body or message.")
  package var maxBody = 64

  @Option(help: "Seconds after which a session without frames ends.")
  package var sessionTimeout = 30

  @Option(help: "Sessions at a time.")
  package var maxSessions = 64

  @Option(
    help:
      "Guided checks at a time, over HTTP and gRPC; the engine allows 16 unless it has --limit checks-per-user."
  )
  package var maxChecks = 64

  @Option(
    help:
      "Seconds for which a gateway that stops still takes calls while its health says NOT_SERVING: as long as balancers need to see it."
  )
  package var drainDelay = 0.0

  @Option(help: "Seconds to finish calls when the gateway stops, after the delay.")
  package var drainTimeout = 10

  @Option(
    help:
      "Have the gateway give up what it does not need before it takes a call: other files, connections to others, programs, system calls; as far as the kernel can. off is for debuggers."
  )
  package var sandbox = SandboxMode.on

  @Flag(help: "Write no line for each call.")
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
        "--max-connections, --max-sessions, --max-checks, --request-timeout and --session-timeout are above 0, --max-body is from 1 to 384."
      )
    }
    guard (0...Self.maxDrainDelay).contains(drainDelay) else {
      throw ValidationError("--drain-delay is from 0 to \(Int(Self.maxDrainDelay)) seconds.")
    }
    if let page, !FileSystem.isReadable("\(page)/index.html") {
      throw ValidationError(
        "--page \(page) has no index.html that can be read; give the folder with the page's files.")
    }
    for origin in allowOrigin where !origin.contains("://") || origin.hasSuffix("/") {
      throw ValidationError("--allow-origin \(origin) is no origin; give it as in https://kiosk.example.")
    }
    if insecure { return }
    for address in addresses where !address.isLoopback {
      guard tlsCertificate != nil else {
        throw ValidationError(
          "\(address) is reached from other machines, and pictures would travel unencrypted; add --tls-certificate and --tls-key, listen on 127.0.0.1, or say --insecure."
        )
      }
      guard tokenFile != nil || clientCa != nil else {
        throw ValidationError(
          "\(address) is reached from other machines, and anybody there could call; add --token-file or --client-ca, listen on 127.0.0.1, or say --insecure."
        )
      }
    }
  }

  /// The most bytes of requests: half of the memory that the process may use, and no more than 512 MiB.
  ///
  /// Throws `outOfRange` if the largest body does not fit into what large ones may take.
  package func requestMemory() throws(Status) -> Int {
    let limit = MemoryLimit.bytes()
    let most = min(512 << 20, limit / 2)
    guard maxBody << 20 <= RequestMemory.mostReserved(of: most) else {
      throw Status(
        .outOfRange,
        "--max-body \(maxBody) needs \((maxBody * 8 + 2) / 3) MiB of memory, and the gateway may use \(limit >> 20); lower --max-body, "
          + "or raise the memory limit of its service or container")
    }
    return most
  }

  /// The addresses that are served.
  package var addresses: [ListenAddress] { (noHttp ? [] : [http]) + (noGrpc ? [] : [grpc]) }
}
