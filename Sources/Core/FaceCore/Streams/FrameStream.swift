/// The identification of a frame in a stream.
public struct FrameInfo: Equatable, Sendable {
  /// The number of the frame, from 1, in the order of submission.
  public var number: UInt64
  /// Nanoseconds of the caller's own clock; returned with the event.
  public var timestamp: UInt64
  /// The attempt of a guided check, from 1: a number other than that of the frame before restarts the check.
  /// 0 without a check. It is not returned over the wire.
  public var attempt: UInt32
  /// Faces of this frame that the caller knows and wants followed from here on.
  public var followed: [FollowedFace] = []

  public init(number: UInt64, timestamp: UInt64 = 0, attempt: UInt32 = 0) {
    self.number = number
    self.timestamp = timestamp
    self.attempt = attempt
  }
}

/// The result for one frame.
public struct FrameEvent: Equatable, Sendable {
  public enum Outcome: Equatable, Sendable {
    case faces(DetectionResult)
    /// A newer frame came before this one was started.
    /// - Parameter total: frames dropped on this stream so far, this one included.
    case dropped(total: UInt64)
    case failed(Status)
  }

  public var frame: FrameInfo
  public var outcome: Outcome
  /// Ids of the tracked faces that have left.
  public var left: [UInt64]
  /// The report of the guided check, for a frame that was searched.
  public var check: CheckReport?
  /// The best pictures of faces that have left, if the stream keeps them.
  public var best: [BestPicture] = []

  public init(frame: FrameInfo, outcome: Outcome, left: [UInt64] = [], check: CheckReport? = nil) {
    self.frame = frame
    self.outcome = outcome
    self.left = left
    self.check = check
  }
}

/// A stream of frames that are searched in the background, with one event for each, in the order of
/// submission.
public protocol FrameStream: AnyObject, Sendable {
  /// Submits a frame; one thread at a time. Returns at once in mode `newest`, waits for room in mode `every`.
  ///
  /// After the return, the image is read only through the result of `HeldImage.kept`.
  ///
  /// Throws when the frame was not accepted: then it has no event and no number.
  /// - Returns: the frame's number.
  func submit(_ image: HeldImage, timestamp: UInt64) throws(Status) -> UInt64

  /// Follows the face in `box`, in pixels of the upright image of the frame that is submitted next. May be
  /// called from any thread. If that frame is dropped, the box goes with the one that replaces it; if it
  /// fails, the face is not followed.
  ///
  /// Throws `invalidArgument` for a box without an area, `failedPrecondition` for a stream that follows no
  /// faces.
  /// - Returns: the id that the face has from then on.
  func follow(_ box: Box) throws(Status) -> UInt64

  /// Returns the best picture so far of a face, or those of all faces in view, in the order of their ids; empty if none
  /// is kept. May be called from any thread.
  func bestPictures(of id: UInt64?) -> [BestPicture]

  /// Restarts the guided check with the next frame that is submitted. May be called from any thread.
  ///
  /// Frames submitted before have no report of the check any more. Their pictures are released soon, without another
  /// frame.
  func restartCheck()

  /// Ends the stream: waiting frames fail with `cancelled`, and running ones are waited for; no event comes
  /// after the return.
  func close()
}

/// A detector that searches streams as well as single images.
public protocol StreamingDetector: FaceDetector {
  /// Opens a stream.
  /// - Parameter deliver: called on one thread, the stream's own, under no lock.
  func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream
}
