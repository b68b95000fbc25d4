import ArgumentParser
import Dispatch
import EngineLink
import FaceCore
import GatewayServing
import Glibc
import Posix

@main
struct GatewayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "face-engine-gateway",
    abstract: "Serve a running engine over gRPC and HTTP.",
    discussion: """
      Connects to the engine's socket. By default, listens only on loopback addresses of this machine; any other address \
      needs TLS, and callers with a token or a certificate.
      SIGHUP reloads certificates, keys and tokens; if a file is wrong, the old ones stay.
      Writes an access log, a line of JSON for each call, to standard output, and everything else to standard error.
      """,
    version: "\(EngineVersion.text)")

  @Option(
    help:
      "Socket of the engine. (default: face-engine.sock in $XDG_RUNTIME_DIR, else in /run/user/UID, or for root in /run; if there is no socket, /run/face-engine/face-engine.sock)",
    completion: .file()
  )
  var socket: String?

  @OptionGroup var serving: ServingOptions

  /// Exits with 0 after SIGTERM, 1 on failure, 2 on wrong usage.
  static func main() {
    CurrentProcess.normalise()
    do {
      var command = try parseAsRoot(Array(CurrentProcess.arguments.dropFirst()))
      try command.run()
    } catch let status as Status {
      tellOperator(status.message)
      Glibc.exit(1)
    } catch  where exitCode(for: error) == .validationFailure {
      let text = Array("\(fullMessage(for: error))\n".utf8)
      write(STDERR_FILENO, text, text.count)
      Glibc.exit(2)
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
      throw error.code == .invalidArgument ? ValidationError("\(error.message).") : error as any Error
    }
    Task {
      await parts.run()
      Glibc.exit(0)
    }
    dispatchMain()
  }
}
