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
  /// The time after its submission by which a frame must be started; 0 for no limit.
  public var frameTimeout: TimeSpan = .zero
  /// Ends the frames that wait and the one that runs, and stops the stream from accepting others.
  public var canceller: Canceller?
  /// The options of a guided check; `nil`: none. With one, faces are always tracked.
  public var check: CheckOptions?
  /// How the best picture of each tracked face is kept; `nil`: none is.
  public var best: BestPictureOptions?

  public init() {}

  /// Throws `invalidArgument`, naming the option, when a value is outside its range.
  public func validate() throws(Status) {
    try detection.validate()
    try tracking?.validate()
    try check?.validate()
    if check != nil { try tracking?.validateForCheck() }
    try validateBest()
    guard frameTimeout >= .zero else {
      throw Status(
        .invalidArgument, "the frame timeout is \(frameTimeout.nanoseconds) ns; give 0 (none) or more")
    }
  }
}

extension StreamOptions {
  /// Throws `invalidArgument` for best pictures without ids, or in a guided check.
  package func validateBest() throws(Status) {
    guard let best else { return }
    try best.validate()
    guard tracking != nil, check == nil else {
      throw Status(
        .invalidArgument,
        "best_size needs ids, and a guided check keeps its own picture; track the faces, or leave best_size 0")
    }
  }

  /// The options of detection, with the measurements that best pictures need.
  package var searched: DetectionOptions {
    var searched = detection
    if best != nil { searched.outputs.formUnion(BestPictureOptions.outputs) }
    return searched
  }

  /// Throws `failedPrecondition` if this stream cannot follow a face that the caller passes.
  package func validateForFollowing() throws(Status) {
    guard tracking != nil, check == nil else {
      throw Status(
        .failedPrecondition,
        "this stream cannot follow boxes; open one that tracks and is not a guided check")
    }
  }
}

/// The options for tracking faces from frame to frame.
public struct TrackingOptions: OptionTable, Equatable, Sendable, BitwiseCopyable {
  // generated: swift-options TrackingOptions Tracking
  /// A face has left when it is missed in more consecutive frames than this; the default in a guided check
  /// is 45. 0 to 10000.
  public var maxMissedFrames = 15
  /// Search the whole picture at least once in this many frames; in between, faces are followed. While no
  /// face is in view, every third frame is searched. 1 for every frame. 1 or more.
  public var detectionInterval = 10
  /// A face gets its id when it is found in this many consecutive frames, or as soon as the landmark
  /// network confirms it. Until then it is reported without an id. 1 for an id at once. 1 to 1000.
  public var minHits = 3
  /// Search at most this many frames per second; 0 for all. The frames in between get `predicted` faces:
  /// each continues its last movement. The rate is measured by the frames' timestamp_ns, or by the engine's
  /// clock if timestamp_ns is 0. Not for a guided check. 0 to 1000.
  public var analysisRate: Float = 0

  /// The numeric options, by their names in Tracking and in C.
  // swift-format-ignore
  public static let fields: [OptionField] = [
    OptionField(
      "max_missed_frames", \TrackingOptions.maxMissedFrames, 0...10_000,
      "A face has left when it is missed in more consecutive frames than this; the default in a guided check is 45."),
    OptionField(
      "detection_interval", \TrackingOptions.detectionInterval, 1...(.infinity),
      "Search the whole picture at least once in this many frames; in between, faces are followed."),
    OptionField(
      "min_hits", \TrackingOptions.minHits, 1...1000,
      "A face gets its id when it is found in this many consecutive frames, or as soon as the landmark network confirms it."),
    OptionField(
      "analysis_rate", \TrackingOptions.analysisRate, 0...1000,
      "Search at most this many frames per second; 0 for all."),
  ]
  // end of generated

  /// Whether only the faces that the caller passes are followed, and no others are searched for.
  public var isFollowedOnly = false
  /// Whether a face that left and comes back within 10 seconds has its id again, if it is clearly the same by
  /// its appearance. For that, descriptors of a few small pictures of each face are kept for as long, in the
  /// session only.
  public var reidentifies = false

  /// The `maxMissedFrames` for a guided check: a person may turn away for a moment and is still the same.
  public static let missedFramesOfChecks = 45

  public init() {}

  /// Throws `invalidArgument`, naming the option, when a value is outside its range.
  public func validate() throws(Status) {
    try validate(TrackingOptions.fields)
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
        "a guided check never gives a returning face its old id; leave reidentify 0")
    }
  }
}
