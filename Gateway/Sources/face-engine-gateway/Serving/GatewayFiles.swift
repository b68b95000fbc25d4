import FaceCore
import Posix

/// What the gateway reads before it gives up its files.
struct GatewayFiles {
  let token: AccessToken?
  let tls: TLSSettings?
  /// The folder of the page; `nil` where there is none.
  let page: String?

  /// Throws `notFound` or `invalidArgument` for files that cannot be used.
  init(_ options: ServingOptions) throws(Status) {
    token = try options.tokenFile.map { (path) throws(Status) in
      let text = String(decoding: try TextFile.read(path), as: UTF8.self)
      return try AccessToken(String(text.prefix { !$0.isNewline }))
    }
    tls = try TLSSettings(options)
    page = options.page ?? PageFiles.standardFolder()
  }

  /// What is left to the process: the page, its own memory's size, the engine's socket, and sockets that listen.
  ///
  /// The filter of system calls comes when they do: then no socket of a network can be made any more.
  func sandbox() -> Sandbox {
    var sandbox = Sandbox(needs: [.network, .client])
    sandbox.filtersLater = true
    // libdispatch counts its busy threads by /proc/THREAD/stat and ends the process when it cannot; such paths are not known
    // beforehand. Of other processes that is what anybody may read: Landlock keeps their memory and environment out of reach.
    sandbox.allow(.read, "/proc")
    if let page { sandbox.allow(.read, page) }
    return sandbox
  }
}
