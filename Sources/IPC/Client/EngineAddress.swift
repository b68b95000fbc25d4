import FaceCore
import Posix

/// Where an engine listens, and who may be the one that does.
struct EngineAddress: Sendable {
  let path: SocketPath
  /// A user that was named.
  let user: UInt32?

  /// Throws `permissionDenied` unless the engine runs as this user, as root, as the user that was named, or as the one to whom
  /// root gave the socket's folder. Any other could be anybody who was there first.
  func check(_ peer: Peer) throws(Status) {
    let engine = peer.user
    if engine == CurrentProcess.user || engine == 0 || engine == user { return }
    if FileSystem.designatedOwner(ofFolderWith: path.description) == engine { return }
    throw Status(
      .permissionDenied,
      "what listens at \(path) runs as uid \(engine), which is neither this user's, root's, nor that of a folder which root "
        + "made for it; if that is your engine, name its user: --engine-user \(engine), engine_user in C and Python"
    )
  }
}
