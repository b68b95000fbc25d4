import CProtocol
import FaceCore

/// `Tracking` ↔ `TrackingOptions`. Absent fields have the defaults of the side that decodes.
enum TrackingCoding {
  private static let numbers = MessageFields(
    TrackingOptions.fields, of: Faceengine__V1__Tracking.descriptor)

  static func encode(
    _ options: TrackingOptions, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__Tracking> {
    let message = arena.message(Faceengine__V1__Tracking.self)
    numbers.encode(options, into: message)
    message.pointee.followed_only = options.isFollowedOnly ? 1 : 0
    message.pointee.reidentify = options.reidentifies ? 1 : 0
    return message
  }

  /// Decodes the options; `nil` if faces are not tracked. Throws `invalidArgument`, naming the option, if a
  /// value is out of range.
  static func decode(_ message: Faceengine__V1__Tracking?) throws(Status) -> TrackingOptions? {
    guard let message else { return nil }
    var options = TrackingOptions()
    withUnsafePointer(to: message) { numbers.decode($0, into: &options) }
    options.isFollowedOnly = message.followed_only != 0
    options.reidentifies = message.reidentify != 0
    try options.validate()
    return options
  }
}
