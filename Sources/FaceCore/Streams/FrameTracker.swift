/// Follows the faces of one stream of frames: the state that is kept between them, and no thread.
///
/// Called with one frame at a time, in the order of the frames, though not always on the same thread. A frame that fails
/// leaves the tracker usable: the faces known before it count as not found in it. Ids run from 1 and are never used again
/// by the same tracker. Nothing need be done at the stream's end; those in view then do not count as having left.
public protocol FrameTracker: AnyObject, Sendable {
  /// Finds the faces of the next frame; each has its `track`. `image` is borrowed until the call returns.
  /// - Returns: also the ids of those that are in view no more, in ascending order.
  func process(
    _ image: ImageInput, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64])
}

/// Something that follows faces as well as finding them in single images.
public protocol TrackingDetector: FaceDetector {
  /// A tracker for one stream. Throws `invalidArgument`, naming the option, for values outside their range.
  func makeTracker(_ options: TrackingOptions) throws(Status) -> any FrameTracker
}
