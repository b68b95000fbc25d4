import FaceCore
import GatewayHTTP
import GatewayServing
import Posix

/// The files that the gateway reads before it enters its sandbox.
struct GatewayFiles {
  /// Read again while the gateway serves.
  let credentials: CredentialStore
  let page: PageFiles

  /// Throws `notFound` or `invalidArgument` for unusable files.
  init(_ options: ServingOptions) throws(Status) {
    credentials = try CredentialStore(options)
    page = PageFiles(folder: options.page ?? PageFiles.standardFolder())
  }

  /// The resources left to the process: the files of tokens and certificates with their folders, its
  /// own memory size, the engine's socket, and listening sockets.
  ///
  /// The filter of system calls is applied once these sockets listen: after that, no network socket can be
  /// made.
  func sandbox() -> Sandbox {
    var sandbox = Sandbox(needs: [.network, .client, .libraries])
    sandbox.filtersLater = true
    // libdispatch counts its busy threads in /proc/THREAD/stat, and ends the process if it cannot; these
    // paths are not known in advance. Of other processes, this exposes only what any user may read: Landlock
    // protects their memory and environment.
    sandbox.allow(.read, "/proc")
    for path in credentials.paths + credentials.folders { sandbox.allow(.read, path) }
    return sandbox
  }
}
