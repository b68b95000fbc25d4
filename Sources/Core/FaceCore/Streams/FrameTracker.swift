/// Follows the faces of one stream of frames: the state that is kept between them, and no thread.
///
/// Called with one frame at a time, in the order of the frames, though not always on the same thread. A frame that fails
/// leaves the tracker usable: the faces known before it count as not found in it. Ids run from 1 and are never used again
/// by the same tracker. Nothing need be done at the stream's end; those in view then do not count as having left.
public protocol FrameTracker: AnyObject, Sendable {
  /// Finds the faces of the next frame; each has its `track`. `image` is borrowed until the call returns.
  /// - Parameter frame: what of it is followed from here on, and its time.
  /// - Returns: also the ids of those that are in view no more, in ascending order.
  func process(
    _ image: ImageInput, _ frame: FrameInfo, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64])
}

extension FrameTracker {
  /// The same for a frame without a number and without a time.
  public func process(
    _ image: ImageInput, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    try process(image, FrameInfo(number: 0), options: options)
  }
}

/// Something that follows faces as well as finding them in single images.
public protocol TrackingDetector: FaceDetector {
  /// A tracker for one stream. Throws `invalidArgument`, naming the option, for values outside their range.
  func makeTracker(_ options: TrackingOptions) throws(Status) -> any FrameTracker
}
