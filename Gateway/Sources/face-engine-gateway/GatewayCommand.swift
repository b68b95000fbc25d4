import ArgumentParser
import Dispatch
import EngineLink
import FaceCore
import GatewayServing
import Glibc
import Posix

/// `face-engine-gateway`
@main
struct GatewayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "face-engine-gateway",
    abstract: "Serve a running engine over gRPC and HTTP.",
    discussion: """
      A client of the engine's socket. Listens on this machine's own addresses unless told otherwise; any other address \
      needs TLS, and callers that are known by a token or a certificate.
      SIGHUP reads certificates, keys and tokens anew; files that are wrong change nothing.
      Writes a line of JSON for each call to standard output, and everything else to standard error.
      """,
    version: "\(EngineVersion.text)")

  @Option(
    help:
      "The engine's socket. (default: face-engine.sock in $XDG_RUNTIME_DIR, else in /run/user/UID, for root else in /run; without a socket there, /run/face-engine/face-engine.sock if it exists)"
  )
  var socket: String?

  @OptionGroup var serving: ServingOptions

  static func main() {
    CurrentProcess.occupyStandardStreams()
    do {
      var command = try parseAsRoot(Array(CurrentProcess.arguments.dropFirst()))
      try command.run()
    } catch {
      exit(withError: error)
    }
  }

  func run() throws {
    let parts: GatewayParts
    do throws(Status) {
      // Before the sandbox, which leaves no access to control groups.
      let memory = try serving.requestMemory()
      try DescriptorLimit.require(
        servers: serving.addresses.count, connections: serving.maxConnections,
        uploads: memory / SharedUpload.fewest)
      let socket = if let socket { socket } else { try SocketPath.ofClients().description }
      Heap.configure()
      let files = try GatewayFiles(serving)
      // On the main thread before there is any other, so that all threads are restricted.
      let sandbox = serving.sandbox == .on ? files.sandbox() : nil
      let held = sandbox?.enter() ?? []
      try files.credentials.reloadOnHangup()
      parts = try GatewayParts(serving, files, memory: memory, socket: socket) {
        guard let sandbox else { return tellOperator("no sandbox: it was turned off with --sandbox off") }
        let names = held.union(sandbox.filterCalls()).names
        tellOperator("sandbox restricts \(names.joined(separator: ","))")
      }
    } catch {
      throw ValidationError("\(error.message).")
    }
    Task {
      await parts.run()
      Glibc.exit(0)
    }
    dispatchMain()
  }
}
