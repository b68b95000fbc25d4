import FaceCore
import Posix

/// The socket of an engine, and the user it may run as.
struct EngineAddress: Sendable {
  let path: SocketPath
  /// A user named by the caller.
  let user: UInt32?

  /// Throws `permissionDenied` unless the engine runs as this user, as root, as the user named, or as the
  /// user for whom root made the socket's folder. Any other user could have put a false engine there.
  func check(_ peer: Peer) throws(Status) {
    let engine = peer.user
    if engine == CurrentProcess.user || engine == 0 || engine == user { return }
    if FileSystem.designatedOwner(ofFolderWith: path.description) == engine { return }
    throw Status(
      .permissionDenied,
      "the engine at \(path) runs as uid \(engine), which is not trusted: it is neither your own user, nor root, nor the owner "
        + "of a folder that root made for the socket; if the engine is yours, name its user: --engine-user \(engine), or engine_user in C and Python"
    )
  }
}
