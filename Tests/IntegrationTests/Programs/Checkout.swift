import Foundation
import TestSupport
import Testing

/// The places of built programs and committed files.
enum Checkout {
  static let root = URL(filePath: Fixture.repository)
  /// The environment can name other programs to test, such as those built with a sanitizer.
  static let build = root.appending(
    path: ProcessInfo.processInfo.environment["FACE_ENGINE_BUILD"] ?? ".build/release")
  static let engine = build.appending(path: "face-engine").path
  static let model = root.appending(path: "Models/yunet").path
  /// Third-party networks that users provide; they are not in this repository.
  static let broughtModels = root.deletingLastPathComponent().appending(path: "shared/models").path
  static let photo = root.appending(path: "Examples/photos/grace_hopper.jpg").path
  static let otherPhoto = root.appending(path: "Examples/photos/astronaut.png").path

  /// The cache of fetched files, shared by all checkouts of a user.
  static let cache: String = {
    let environment = ProcessInfo.processInfo.environment
    return environment["FACE_ENGINE_CACHE"]
      ?? (environment["XDG_CACHE_HOME"] ?? "\(NSHomeDirectory())/.cache") + "/face-engine"
  }()

  /// The path of a package's graph ("param") or weights ("bin"): in its folder or in the cache of fetched
  /// files.
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
  /// Skips the test, with a message, if there are no `Checkout.broughtModels`.
  static var needsBroughtModels: Self {
    .enabled(
      if: FileManager.default.fileExists(atPath: Checkout.broughtModels),
      "there are no models to bring in \(Checkout.broughtModels)")
  }
}

extension String {
  /// The absolute path of this one, which begins at the top of the checkout.
  var fromCheckout: String { Checkout.root.appending(path: self).path }
}
