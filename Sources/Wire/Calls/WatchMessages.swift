public import FaceCore

/// What becomes of frames that come faster than they are answered.
public enum WatchMode: UInt32, Sendable, CaseIterable {
  /// One runs and one waits; a newer one takes the place of the one that waits.
  case newest = 0
  /// None is dropped, and the sender waits for credit.
  case every = 1
}

/// The first message of a stream.
public struct WatchStart: Equatable, Sendable {
  /// For all frames.
  public var options: DetectionOptions
  public var mode: WatchMode
  /// `nil`: faces have no ids.
  public var tracking: TrackingOptions?
  /// Of `Detector/Check`, and only of that.
  public var check: CheckOptions?

  public init(
    options: DetectionOptions, mode: WatchMode, tracking: TrackingOptions? = nil, check: CheckOptions? = nil
  ) {
    self.options = options
    self.mode = mode
    self.tracking = tracking
    self.check = check
  }

  /// The call that the stream is opened with.
  public var method: Method { check == nil ? .watch : .check }
}

/// Which frame of a stream it is: the sender's own numbers, handed back with the answer.
public struct FrameTag: Equatable, Sendable, BitwiseCopyable {
  public var id: UInt64
  /// Nanoseconds, of whatever clock the sender has.
  public var timestamp: UInt64
  /// Of a check: a number other than that of the frame before begins it anew. It is not handed back.
  public var attempt: UInt32

  public init(id: UInt64, timestamp: UInt64 = 0, attempt: UInt32 = 0) {
    self.id = id
    self.timestamp = timestamp
    self.attempt = attempt
  }
}

/// A frame of a stream; its image stays where it was received.
public struct WatchFrame: Equatable, Sendable {
  public var tag: FrameTag
  /// Nanoseconds within which it must be begun; 0 for no bound.
  public var timeout: UInt64
  /// Positions in the message, of one `Image` for `MessageImage.decoding`.
  public var image: Range<Int>
}

/// A message from the client.
public enum WatchRequest: Equatable, Sendable {
  case start(WatchStart)
  case frame(WatchFrame)
}

/// The answer to a frame.
public struct WatchResponse: Equatable, Sendable {
  public enum Outcome: Equatable, Sendable {
    case result(DetectionResult)
    /// A newer frame took its place; so many were dropped on the stream so far.
    case dropped(total: UInt64)
    case failure(Status)
  }

  public var tag: FrameTag
  public var outcome: Outcome
  /// Ids of the tracked faces that are in view no more.
  public var left: [UInt64]
  /// Of a check, with a result, also where that did not fit. Its pictures are JPEG files, or without bytes.
  public var check: CheckReport?

  public init(tag: FrameTag, outcome: Outcome, left: [UInt64] = [], check: CheckReport? = nil) {
    self.tag = tag
    self.outcome = outcome
    self.left = left
    self.check = check
  }
}
