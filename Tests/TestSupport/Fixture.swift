import Foundation

/// Files of the checkout that tests read.
public enum Fixture {
  /// The checkout's folder.
  public static let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// A small picture of Tests/Fixtures/images.
  public static func image(_ name: String) throws -> [UInt8] {
    try bytes("Tests/Fixtures/images/\(name)")
  }

  /// A photo of Examples/photos.
  public static func photo(_ name: String) throws -> [UInt8] {
    try bytes("Examples/photos/\(name)")
  }

  /// Any file, by its path in the checkout.
  public static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: "\(repository)/\(path)")))
  }
}

/// A folder that is removed with its contents when the value goes.
public final class TemporaryFolder {
  public let path: String

  public init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "face-engine-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file, with the folders it lies in.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let url = URL(filePath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(Array(bytes)).write(to: url)
    return url.path
  }
}
