import CProtocol
import FaceCore

/// Absent fields have the defaults of the side that decodes.
extension TrackingOptions: WireValue {
  private static let numbers = MessageFields(fields, of: Faceengine__V1__Tracking.descriptor)

  func encode(into message: inout Faceengine__V1__Tracking, _ arena: Arena) {
    TrackingOptions.numbers.encode(self, into: &message)
    message.followed_only = isFollowedOnly ? 1 : 0
    message.reidentify = reidentifies ? 1 : 0
  }

  /// Throws `invalidArgument`, naming the option, if a value is out of range.
  init(decoding message: Faceengine__V1__Tracking) throws(Status) {
    self.init()
    TrackingOptions.numbers.decode(message, into: &self)
    isFollowedOnly = message.followed_only != 0
    reidentifies = message.reidentify != 0
    try validate()
  }
}
