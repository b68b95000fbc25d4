public import FaceCore
import Foundation

/// A temporary folder of one test, removed with its contents at the end of the value's lifetime.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws(Status) {
    // The name is short, since a socket's path must fit into 108 bytes.
    path = "/tmp/fe-\(UUID().uuidString.prefix(8))"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw Status(.internal, "cannot make \(path): \(error)")
    }
  }

  /// Makes a folder for what several tests share. It is removed when the process ends.
  public static let shared: Result<TemporaryFolder, Status> = {
    atexit {
      if let folder = try? TemporaryFolder.shared.get() {
        try? FileManager.default.removeItem(atPath: folder.path)
      }
    }
    do throws(Status) { return .success(try TemporaryFolder()) } catch { return .failure(error) }
  }()

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of the file with this name in the folder.
  public func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, with the folders it lies in; returns its path.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let url = URL(filePath: path(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(Array(bytes)).write(to: url)
    return url.path
  }
}
