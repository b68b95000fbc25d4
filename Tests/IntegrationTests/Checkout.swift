import Foundation

/// Where the tests find what was built and what is committed.
enum Checkout {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  /// Another one's programs are tested instead when the environment names it, as one built with a sanitizer.
  static let build = root.appending(
    path: ProcessInfo.processInfo.environment["FACE_ENGINE_BUILD"] ?? ".build/release")
  static let engine = build.appending(path: "face-engine").path
  static let model = root.appending(path: "Models/yunet").path
  static let photo = root.appending(path: "Examples/photos/grace_hopper.jpg").path
  static let otherPhoto = root.appending(path: "Examples/photos/astronaut.png").path
}

extension String {
  /// This path, which begins at the top of the checkout.
  var fromCheckout: String { Checkout.root.appending(path: self).path }
}

/// A folder of a test's own, removed with it.
final class TemporaryFolder {
  let url: URL

  init() throws {
    // Short, since a socket's path must fit into 108 bytes.
    url = URL(filePath: "/tmp").appending(path: "fe-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func write(_ text: String, as name: String) throws -> String {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    return path(name)
  }
}
