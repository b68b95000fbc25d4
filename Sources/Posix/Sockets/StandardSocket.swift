public import FaceCore
import Glibc

extension SocketPath {
  /// Where an engine listens unless told otherwise: `$XDG_RUNTIME_DIR/face-engine.sock`, else the same name in the
  /// user's /run/user folder, and for root without one in /run. All are writable by their user alone.
  ///
  /// Throws `failedPrecondition` where there is no such folder, or that variable names none. getuid(2)
  public static func standard() throws(Status) -> SocketPath {
    if let folder = Environment.value("XDG_RUNTIME_DIR") {
      guard FileSystem.isDirectory(folder) else {
        throw Status(
          .failedPrecondition,
          "XDG_RUNTIME_DIR names \(folder), which is no folder; give the path of a socket")
      }
      return try SocketPath("\(folder)/face-engine.sock")
    }
    let user = getuid()
    let folders = ["/run/user/\(user)"] + (user == 0 ? ["/run"] : [])
    guard let folder = folders.first(where: FileSystem.isDirectory) else {
      throw Status(
        .failedPrecondition,
        "XDG_RUNTIME_DIR is not set, so there is no standard socket; give the path of one")
    }
    return try SocketPath("\(folder)/face-engine.sock")
  }
}
