import ArgumentParser
import Dispatch
import FaceCore
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
      "The engine's socket. (default: face-engine.sock in $XDG_RUNTIME_DIR, else in /run/user/UID, for root else in /run)"
  )
  var socket: String?

  @OptionGroup var serving: ServingOptions

  func run() throws {
    let parts: GatewayParts
    do throws(Status) {
      let socket = try EngineSocket.path(socket)
      let files = try GatewayFiles(serving)
      // On the main thread before there is any other, so that all threads are restricted.
      let sandbox = serving.sandbox == .on ? files.sandbox() : nil
      let held = sandbox?.enter() ?? []
      files.credentials.reloadOnHangup()
      parts = try GatewayParts(serving, files, socket: socket) {
        guard let sandbox else { return say("no sandbox: it was turned off with --sandbox off") }
        let names = held.union(sandbox.filterCalls()).names
        say("sandbox restricts \(names.joined(separator: ","))")
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

/// Finds the engine's socket.
enum EngineSocket {
  /// - Parameter given: the path; `nil` for an engine's default socket.
  static func path(_ given: String?) throws(Status) -> String {
    if let given { return given }
    if let folder = getenv("XDG_RUNTIME_DIR") { return String(cString: folder) + "/face-engine.sock" }
    let own = "/run/user/\(getuid())"
    if access(own, F_OK) == 0 { return own + "/face-engine.sock" }
    guard getuid() == 0 else {
      throw Status(
        .notFound, "XDG_RUNTIME_DIR is not set, and there is no \(own); say where the engine is with --socket"
      )
    }
    return "/run/face-engine.sock"
  }
}
