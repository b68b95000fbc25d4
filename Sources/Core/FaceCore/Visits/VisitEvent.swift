/// The arrival or departure of a person.
public struct VisitEvent: Equatable, Sendable {
  /// The numbers are those of C.
  public enum Kind: UInt32, Sendable {
    /// The face has been in view for the least stay.
    case came = 0
    /// The face was not seen for longer than the longest absence, or the counting has ended.
    case left = 1

    /// A stable name, for programs.
    public var name: StaticString {
      switch self {
      case .came: "came"
      case .left: "left"
      }
    }
  }

  public var kind: Kind
  /// The number of the visit, from 1 in the order of arrival.
  public var visit: UInt64
  /// The newest id of the face.
  public var faceID: UInt64
  /// When the face was first seen, in nanoseconds of the frames.
  public var firstSeen: UInt64
  /// When the face was last seen.
  public var lastSeen: UInt64
  /// The time for which the person looked, so far.
  public var looked: TimeSpan
  /// The number of people in view after this event.
  public var present: Int

  /// The time from the first sight of the face to the last one, so far.
  public var stayed: TimeSpan { TimeSpan(clamping: lastSeen - firstSeen) }
}
