public import FaceCore
import Foundation

/// A folder of a test's own, removed with its contents when the value goes.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws(Status) {
    // Short, since a socket's path must fit into 108 bytes.
    path = "/tmp/fe-\(UUID().uuidString.prefix(8))"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw Status(.internal, "cannot make \(path): \(error)")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of what has, or will have, this name in it.
  public func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, with the folders it lies in; its path.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let url = URL(filePath: path(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(Array(bytes)).write(to: url)
    return url.path
  }
}
