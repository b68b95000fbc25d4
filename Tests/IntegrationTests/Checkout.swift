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
