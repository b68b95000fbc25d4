import CPosixShims
public import FaceCore
import Glibc

/// The path of a Unix socket, checked to fit into a socket address.
public struct SocketPath: Sendable, Equatable, CustomStringConvertible {
  public let description: String

  /// The socket of the engine that runs as a system service, by the units in Tools/systemd.
  public static let service = "/run/face-engine/face-engine.sock"

  /// Throws `invalidArgument` for a path that is empty, too long or holds a NUL. unix(7)
  public init(_ path: String) throws(Status) {
    guard !path.isEmpty else { throw Status(.invalidArgument, "socket path is empty; give a file name") }
    guard !path.utf8.contains(0) else {
      throw Status(.invalidArgument, "socket path has a NUL byte in it; give a file name")
    }
    let longest = face_posix_longest_path()
    let count = path.pathBytes.count
    guard count <= longest else {
      throw Status(
        .invalidArgument,
        "socket path has \(count) bytes, but the system accepts \(longest): \(path); use a shorter folder"
      )
    }
    description = path
  }

  /// The folder, "." if the path has none, and the name in it.
  var folderAndName: (folder: String, name: String) {
    guard let slash = description.lastSlash else { return (".", description) }
    let name = String(description[description.utf8.index(after: slash)...])
    return (slash == description.startIndex ? "/" : String(description[..<slash]), name)
  }

  func withAddress<Value>(
    _ call: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    var address = sockaddr_un()
    _ = face_posix_address(&address, description.cPath, description.pathBytes.count)
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
    try standard(runtimeFolder: Environment.value("XDG_RUNTIME_DIR"), user: getuid())
  }

  /// Returns the path at which a client that is given none finds an engine: `standard()`, or the service's if a
  /// socket is there alone.
  ///
  /// Throws as `standard()` does, unless the service's socket is there. stat(2)
  public static func ofClients() throws(Status) -> SocketPath {
    try ofClients(
      runtimeFolder: Environment.value("XDG_RUNTIME_DIR"), user: getuid(), service: service)
  }

  /// - Parameter runtimeFolder: the value of XDG_RUNTIME_DIR.
  package static func standard(runtimeFolder: String?, user: UInt32) throws(Status) -> SocketPath {
    if let runtimeFolder {
      guard FileSystem.isDirectory(runtimeFolder) else {
        throw Status(
          .failedPrecondition,
          "XDG_RUNTIME_DIR names \(runtimeFolder), which is not a folder; give the path of a socket (--socket)"
        )
      }
      return try SocketPath("\(runtimeFolder)/face-engine.sock")
    }
    let folders = ["/run/user/\(user)"] + (user == 0 ? ["/run"] : [])
    guard let folder = folders.first(where: FileSystem.isDirectory) else {
      throw Status(
        .failedPrecondition,
        "XDG_RUNTIME_DIR is not set, so there is no standard socket; give the path of a socket (--socket)")
    }
    return try SocketPath("\(folder)/face-engine.sock")
  }

  /// - Parameters:
  ///   - runtimeFolder: the value of XDG_RUNTIME_DIR.
  ///   - service: the path of the service's socket.
  package static func ofClients(
    runtimeFolder: String?, user: UInt32, service: String
  ) throws(Status) -> SocketPath {
    let own: SocketPath
    do throws(Status) {
      own = try standard(runtimeFolder: runtimeFolder, user: user)
    } catch {
      if FileSystem.isSocket(service) { return try SocketPath(service) }
      throw Status(error.code, "no engine listens at \(service), and \(error.message)")
    }
    guard !FileSystem.isSocket(own.description), FileSystem.isSocket(service) else { return own }
    return try SocketPath(service)
  }
}
