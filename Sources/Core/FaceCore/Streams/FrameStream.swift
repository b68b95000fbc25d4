/// Which frame of a stream it is.
public struct FrameInfo: Equatable, Sendable {
  /// From 1, in the order of submission.
  public var number: UInt64
  /// Nanoseconds of the caller's own clock; returned with the event.
  public var timestamp: UInt64
  /// Of a guided check, from 1: a number other than that of the frame before starts it anew. 0 where there is none. It
  /// does not come back over the wire.
  public var attempt: UInt32
  /// Faces of this frame that the caller knows and wants followed from here on.
  public var followed: [FollowedFace] = []

  public init(number: UInt64, timestamp: UInt64 = 0, attempt: UInt32 = 0) {
    self.number = number
    self.timestamp = timestamp
    self.attempt = attempt
  }
}

/// What became of one frame.
public struct FrameEvent: Equatable, Sendable {
  public enum Outcome: Equatable, Sendable {
    case faces(DetectionResult)
    /// A newer frame came before this one started.
    /// - Parameter total: frames dropped on this stream so far, this one included.
    case dropped(total: UInt64)
    case failed(Status)
  }

  public var frame: FrameInfo
  public var outcome: Outcome
  /// Ids of the tracked faces that are in view no more.
  public var left: [UInt64]
  /// The report of the guided check, for a frame that was searched.
  public var check: CheckReport?

  public init(frame: FrameInfo, outcome: Outcome, left: [UInt64] = [], check: CheckReport? = nil) {
    self.frame = frame
    self.outcome = outcome
    self.left = left
    self.check = check
  }
}

/// A stream of frames that are searched in the background, with one event for each, in the order of submission.
public protocol FrameStream: AnyObject, Sendable {
  /// Hands in a frame; one thread at a time. Returns at once in mode `newest`, waits for room in mode `every`.
  ///
  /// What is read of the image after the return is read of what `HeldImage.kept` gave.
  ///
  /// Throws when the frame was not taken: then there is no event for it, and it has no number.
  /// - Returns: the frame's number.
  func submit(_ image: HeldImage, timestamp: UInt64) throws(Status) -> UInt64

  /// Follows the face in `box`, in pixels of the upright image of the frame that is submitted next. From any thread. Where
  /// that frame is dropped the box goes with the one that takes its place; where it fails the face is not followed.
  ///
  /// Throws `invalidArgument` for a box without an area, `failedPrecondition` for a stream that follows no faces.
  /// - Returns: the id that the face has from then on.
  func follow(_ box: Box) throws(Status) -> UInt64

  /// Starts the guided check again with the next frame that is submitted. From any thread.
  func restartCheck()

  /// Ends the stream: what waits fails with `cancelled`, what runs is waited for; no event comes after the return.
  func close()
}

/// Something that searches streams as well as single images.
public protocol StreamingDetector: FaceDetector {
  /// - Parameter deliver: called on one thread, the stream's own, under no lock.
  func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream
}
