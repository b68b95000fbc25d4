package import CallerOptions
package import FaceCore
package import ResultJSON
import Synchronization

/// The options of an HTTP caller for a picture, parsed and checked.
package struct PictureOptions: Sendable {
  package var detection: DetectionOptions
  package let image: ImageArguments
  package let constellation: ShownConstellation?
  package let screen: Screen?

  private static let known = KnownValues<PictureOptions>()
  private static let knownImages = KnownValues<ImageArguments>()

  /// Throws `invalidArgument`, naming the wrong value.
  package static func parse(_ values: [(name: String, value: String)]) throws(Status) -> PictureOptions {
    try known.value(of: values) { () throws(Status) in
      let query = try Flags.parse(DetectQuery.self, values)
      return PictureOptions(
        detection: try query.options(), image: query.image, constellation: query.shown,
        screen: query.screen?.screen)
    }
  }

  /// The options of a frame, which are only about its pixels. Throws `invalidArgument`, naming the wrong value.
  package static func image(_ values: [(name: String, value: String)]) throws(Status) -> ImageArguments {
    try knownImages.value(of: values) { () throws(Status) in try Flags.parse(ImageArguments.self, values) }
  }
}

/// What queries were parsed to before, since parsing takes longer than all else that the gateway does for a picture.
private final class KnownValues<Value: Sendable>: Sendable {
  private static var most: Int { 64 }
  private static var longestKey: Int { 512 }

  private let known = Mutex<[String: Value]>([:])

  func value(
    of query: [(name: String, value: String)], _ parse: () throws(Status) -> Value
  ) throws(Status) -> Value {
    // With lengths, since a value may contain any separator.
    let key = query.map { "\($0.name.utf8.count)=\($0.name)\($0.value.utf8.count)=\($0.value)" }.joined()
    if let value = known.withLock({ $0[key] }) { return value }
    let value = try parse()
    guard key.utf8.count <= Self.longestKey else { return value }
    known.withLock { known in
      if known.count >= Self.most { known = [:] }
      known[key] = value
    }
    return value
  }
}
