/// The treatment of a frame that is submitted while others wait. The numbers are those of the wire.
public enum StreamMode: UInt32, Sendable, CaseIterable {
  /// One frame runs and one waits; a newer one replaces the waiting one, which is dropped.
  case newest = 0
  /// No frame is dropped; the sender waits for room.
  case every = 1
}

/// The options of a stream of frames.
public struct StreamOptions: Equatable, Sendable {
  public var detection = DetectionOptions()
  public var mode = StreamMode.newest
  /// The options of tracking; `nil`: each frame is searched by itself, and faces have no ids.
  public var tracking: TrackingOptions?
  /// Nanoseconds after its submission by which a frame must be started; 0 for no limit.
  public var frameTimeout: Int64 = 0
  /// Ends the frames that wait and the one that runs, and stops the stream from accepting others.
  public var canceller: Canceller?
  /// The options of a guided check; `nil`: none. With one, faces are always tracked.
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
  /// Throws `failedPrecondition` if this stream cannot follow a face that the caller passes.
  package func validateForFollowing() throws(Status) {
    guard tracking != nil, check == nil else {
      throw Status(
        .failedPrecondition,
        "this stream follows no boxes; open one that tracks and is not a guided check")
    }
  }
}

/// The options for tracking faces from frame to frame.
public struct TrackingOptions: Equatable, Sendable, BitwiseCopyable {
  /// A face that was not found in more than this many consecutive frames has left.
  public var maxMissedFrames = 15
  /// The largest number of frames from one search of the whole picture to the next; every third frame is
  /// searched while no face is in view. In between, faces are only followed, so that a new face is found at
  /// the next search at the latest. 1: every frame.
  public var detectionInterval = 10
  /// The number of consecutive frames in which a face must be found with the minimum confidence before it
  /// gets its id, unless the mesh network confirms it at once; until then it is reported without one. 1: at
  /// once.
  public var minHits = 3
  /// The most frames a second that are searched; those between are answered from the tracks, with faces that
  /// are `isPredicted`. 0: no limit. Time is that of the frames, or of the clock if they have none.
  public var analysisRate: Float = 0
  /// Whether only the faces that the caller passes are followed, and no others are searched for.
  public var isFollowedOnly = false
  /// Whether a face that left and comes back within 10 seconds has its id again, if it is clearly the same by
  /// its appearance. For that, descriptors of a few small pictures of each face are kept for as long, in the
  /// session only.
  public var reidentifies = false

  /// The largest `maxMissedFrames`; beyond it, no face would ever be removed.
  public static let missedFramesLimit = 10_000
  /// The largest `minHits`; beyond it, a face would get its id only after many seconds.
  public static let hitsLimit = 1000
  /// The highest rate of analysis: above that of any camera.
  public static let analysisRateLimit: Float = 1000
  /// The `maxMissedFrames` for a guided check: a person may turn away for a moment and is still the same.
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

  /// Throws `invalidArgument` for options that a guided check does not support: it analyses every frame,
  /// searches for faces, and a face that left is another one when it returns.
  public func validateForCheck() throws(Status) {
    guard analysisRate == 0, !isFollowedOnly else {
      throw Status(
        .invalidArgument,
        "a guided check searches every frame for every face; leave analysis_rate and followed_only 0")
    }
    // Who returns has to begin anew: appearance proves nothing.
    guard !reidentifies else {
      throw Status(
        .invalidArgument,
        "in a guided check a face that left is another one when it returns; leave reidentify 0")
    }
  }
}
