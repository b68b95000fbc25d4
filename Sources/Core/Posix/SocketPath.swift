import CPosixShims
public import FaceCore
import Glibc

/// The path of a Unix socket, checked to fit into a socket address.
public struct SocketPath: Sendable, Equatable, CustomStringConvertible {
  public let description: String

  /// An example of a path, for messages.
  public static let example = "/run/face-engine/face-engine.sock"

  /// Throws `invalidArgument` for a path that is empty, too long or holds a NUL. unix(7)
  public init(_ path: String) throws(Status) {
    guard !path.isEmpty else { throw Status(.invalidArgument, "socket path is empty; give a file name") }
    guard !path.utf8.contains(0) else {
      throw Status(.invalidArgument, "socket path has a NUL byte in it; give a file name")
    }
    let longest = face_posix_longest_path()
    guard path.utf8.count <= longest else {
      throw Status(
        .invalidArgument,
        "socket path has \(path.utf8.count) bytes and the system takes \(longest): \(path); use a shorter folder"
      )
    }
    description = path
  }

  /// The folder, "." if the path has none, and the name in it.
  var folderAndName: (folder: String, name: String) {
    guard let slash = description.lastIndex(of: "/") else { return (".", description) }
    let name = String(description[description.index(after: slash)...])
    return (slash == description.startIndex ? "/" : String(description[..<slash]), name)
  }

  func withAddress<Value>(
    _ call: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    var address = sockaddr_un()
    _ = face_posix_address(&address, description, description.utf8.count)
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return try withUnsafeBytes(of: &address) { (bytes) throws(SystemError) -> Value in
      // sockaddr_un begins as every sockaddr does; the kernel reads the family and then the right type.
      try call(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.unsafelyUnwrapped, size)
    }
  }
}

extension SocketPath {
  /// Returns the default path of an engine's socket: `$XDG_RUNTIME_DIR/face-engine.sock`, else the same name
  /// in the user's /run/user folder, or for root, if there is none, in /run. Only the user can write to them.
  ///
  /// Throws `failedPrecondition` if there is no such folder, or the variable does not name one. getuid(2)
  public static func standard() throws(Status) -> SocketPath {
    if let folder = Environment.value("XDG_RUNTIME_DIR") {
      guard FileSystem.isDirectory(folder) else {
        throw Status(
          .failedPrecondition,
          "XDG_RUNTIME_DIR names \(folder), which is not a folder; give the path of a socket")
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
