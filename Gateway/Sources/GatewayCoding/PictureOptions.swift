package import FaceCore
package import Presentation
import Synchronization

/// The options of an HTTP caller for a picture, parsed and checked.
package struct PictureOptions: Sendable {
  package let detection: DetectionOptions
  package let constellation: ShownConstellation?
  package let screen: Screen?

  /// Those parsed before, since parsing takes longer than all else that the gateway does for a picture.
  private static let known = Mutex<[String: PictureOptions]>([:])
  private static let mostKnown = 64
  private static let longestKnown = 512

  /// Throws `invalidArgument`, naming the wrong value.
  package static func parse(_ values: [(name: String, value: String)]) throws(Status) -> PictureOptions {
    // With lengths, since a value may contain any separator.
    let key = values.map { "\($0.name.utf8.count)=\($0.name)\($0.value.utf8.count)=\($0.value)" }.joined()
    if let known = known.withLock({ $0[key] }) { return known }
    let query = try Flags.parse(DetectQuery.self, values)
    let options = PictureOptions(
      detection: try query.options(), constellation: query.shown, screen: query.screen?.screen)
    guard key.utf8.count <= longestKnown else { return options }
    known.withLock { known in
      if known.count >= mostKnown { known = [:] }
      known[key] = options
    }
    return options
  }
}
