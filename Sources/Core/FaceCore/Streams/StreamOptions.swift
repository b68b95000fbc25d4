/// What happens to a frame that is submitted while others wait. The numbers are those of the wire.
public enum StreamMode: UInt32, Sendable, CaseIterable {
  /// One frame runs and one waits; a newer one takes the place of the one that waits, which is dropped.
  case newest = 0
  /// No frame is dropped; the sender waits for room.
  case every = 1
}

/// How a stream of frames is searched.
public struct StreamOptions: Equatable, Sendable {
  public var detection = DetectionOptions()
  public var mode = StreamMode.newest
  /// `nil`: each frame for itself, faces have no ids.
  public var tracking: TrackingOptions?
  /// Nanoseconds from a frame's submission within which it must be started; 0 for no bound.
  public var frameTimeout: Int64 = 0
  /// Ends the taking of frames; in this process also those that wait and the one that runs.
  public var canceller: Canceller?
  /// `nil`: no guided check. With one, faces are followed in any case.
  public var check: CheckOptions?

  public init() {}

  /// Throws `invalidArgument`, naming the option, when a value is outside its range.
  public func validate() throws(Status) {
    try detection.validate()
    try tracking?.validate()
    try check?.validate()
    if check != nil { try tracking?.validateForCheck() }
    guard frameTimeout >= 0 else {
      throw Status(.invalidArgument, "the frame timeout is \(frameTimeout); give 0 for none, or more")
    }
  }
}

extension StreamOptions {
  /// Throws `failedPrecondition` where a face that is handed in cannot be followed.
  package func validateForFollowing() throws(Status) {
    guard tracking != nil, check == nil else {
      throw Status(
        .failedPrecondition,
        "this stream follows no boxes; open one that tracks and is no guided check")
    }
  }
}

/// How faces are followed from frame to frame.
public struct TrackingOptions: Equatable, Sendable, BitwiseCopyable {
  /// A face not found in more frames than this, one after the other, has left.
  public var maxMissedFrames = 15
  /// The detector searches the whole picture at least every so many frames, and every third while no face is in view; in
  /// between faces are followed. So no face is found later than that. 1: every frame.
  public var detectionInterval = 10
  /// A face gets its id in the frame in which it is found with the minimum confidence for this many times, one frame after
  /// the other, or at once where the mesh network sees it, too; before, it is told without one. 1: at once.
  public var minHits = 3
  /// The most frames a second that are searched; those between are answered from the tracks, with faces that are
  /// `isPredicted`. 0: all. Time is that of the frames, or the clock's where they have none.
  public var analysisRate: Float = 0
  /// Whether only the faces that the caller hands in are followed, and no others are searched for.
  public var isFollowedOnly = false

  /// The largest maximum of missed frames; more would keep every face that ever was.
  public static let missedFramesLimit = 10_000
  /// The largest number of hits: more, and a face would be known by its id after seconds only.
  public static let hitsLimit = 1000
  /// The highest rate of analysis: above that of any camera.
  public static let analysisRateLimit: Float = 1000
  /// The maximum of missed frames that suits a guided check: a person may turn away for a moment and is still the same.
  public static let missedFramesOfChecks = 45

  public init() {}

  /// Throws `invalidArgument`, naming the option, when a value is outside its range.
  public func validate() throws(Status) {
    guard (0...TrackingOptions.missedFramesLimit).contains(maxMissedFrames) else {
      throw Status(
        .invalidArgument,
        "maximum of missed frames is \(maxMissedFrames); give 0…\(TrackingOptions.missedFramesLimit)")
    }
    guard detectionInterval >= 1 else {
      throw Status(
        .invalidArgument, "detection interval is \(detectionInterval); give 1 for every frame, or more")
    }
    guard (1...TrackingOptions.hitsLimit).contains(minHits) else {
      throw Status(
        .invalidArgument,
        "minimum of hits is \(minHits); give 1 for an id at once, or up to \(TrackingOptions.hitsLimit)")
    }
    guard (0...TrackingOptions.analysisRateLimit).contains(analysisRate) else {
      throw Status(
        .invalidArgument,
        "analysis rate is \(analysisRate); give 0 for every frame, or frames a second up to \(TrackingOptions.analysisRateLimit)"
      )
    }
  }

  /// Throws `invalidArgument` for what a guided check cannot do: it looks at every frame, for faces that it does not know.
  public func validateForCheck() throws(Status) {
    guard analysisRate == 0, !isFollowedOnly else {
      throw Status(
        .invalidArgument,
        "a guided check searches every frame for every face; leave analysis_rate and followed_only 0")
    }
  }
}
