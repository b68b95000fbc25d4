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

  /// A file by its path in the checkout.
  public static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: "\(repository)/\(path)")))
  }
}
