/// Follows the faces of one stream of frames: it keeps the state between frames and has no thread of its own.
///
/// It is called with one frame at a time, in the order of the frames, though not always on the same thread. A
/// frame that fails leaves the tracker usable: the faces known before count as not found in it. Ids run from
/// 1 and are never reused by the same tracker. Nothing needs to be called at the end of the stream; the faces
/// then in view do not count as having left.
public protocol FrameTracker: AnyObject, Sendable {
  /// Finds the faces of the next frame; each has its `track`. `image` is borrowed until the call returns.
  /// - Parameter frame: the faces to be followed from this frame on, and its time.
  /// - Returns: also the ids of the faces that have left, in ascending order.
  func trackFaces(
    _ image: ImageInput, _ frame: FrameInfo, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64])
}

extension FrameTracker {
  /// Finds the faces of a frame that has neither a number nor a time.
  public func trackFaces(
    _ image: ImageInput, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    try trackFaces(image, FrameInfo(number: 0), options: options)
  }
}

/// A detector that also follows faces from frame to frame.
public protocol TrackingDetector: FaceDetector {
  /// Makes a tracker for one stream. Throws `invalidArgument`, naming the option, for values outside their
  /// range.
  func makeTracker(_ options: TrackingOptions) throws(Status) -> any FrameTracker
}
