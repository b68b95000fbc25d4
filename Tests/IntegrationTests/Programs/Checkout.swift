import Foundation
import TestSupport
import Testing

/// Where the tests find what was built and what is committed.
enum Checkout {
  static let root = URL(filePath: Fixture.repository)
  /// Another one's programs are tested instead when the environment names it, as one built with a sanitizer.
  static let build = root.appending(
    path: ProcessInfo.processInfo.environment["FACE_ENGINE_BUILD"] ?? ".build/release")
  static let engine = build.appending(path: "face-engine").path
  static let model = root.appending(path: "Models/yunet").path
  /// Third-party networks that users bring; not in this repository.
  static let broughtModels = root.deletingLastPathComponent().appending(path: "shared/models").path
  static let photo = root.appending(path: "Examples/photos/grace_hopper.jpg").path
  static let otherPhoto = root.appending(path: "Examples/photos/astronaut.png").path

  /// What was fetched, shared by all checkouts of a user.
  static let cache: String = {
    let environment = ProcessInfo.processInfo.environment
    return environment["FACE_ENGINE_CACHE"]
      ?? (environment["XDG_CACHE_HOME"] ?? "\(NSHomeDirectory())/.cache") + "/face-engine"
  }()

  /// Where the graph ("param") and the weights ("bin") of a package are: in its folder or in the cache of those fetched.
  static func modelFiles(_ model: String = Checkout.model) throws -> [String: String] {
    struct Manifest: Decodable {
      struct File: Decodable { let name, sha256: String }
      let files: [String: File]
    }
    let json = try Data(contentsOf: URL(filePath: "\(model)/model.json"))
    return try JSONDecoder().decode(Manifest.self, from: json).files.mapValues { file in
      let own = "\(model)/\(file.name)"
      return FileManager.default.fileExists(atPath: own) ? own : "\(cache)/models/\(file.sha256)/\(file.name)"
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test, and says so, where there are no `Checkout.broughtModels`.
  static var needsBroughtModels: Self {
    .enabled(
      if: FileManager.default.fileExists(atPath: Checkout.broughtModels),
      "there are no models to bring in \(Checkout.broughtModels)")
  }
}

extension String {
  /// This path, which begins at the top of the checkout.
  var fromCheckout: String { Checkout.root.appending(path: self).path }
}
