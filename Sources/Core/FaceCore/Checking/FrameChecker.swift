/// A guided check of one stream of frames: it keeps the state between frames and has no thread of its own. It
/// is called in the same way as `FrameTracker`.
public protocol FrameChecker: AnyObject, Sendable {
  /// Finds the faces of the next frame and reports the state of the check. `image` is borrowed until the call
  /// returns.
  /// - Parameter frame: a new `attempt` restarts the check.
  /// - Returns: also the ids of the faces that have left, in ascending order.
  func checkFrame(
    _ image: ImageInput, _ frame: FrameInfo, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64], report: CheckReport)

  /// Releases the picture of attempts before `attempt`, which may be long before the next frame comes.
  func forget(before attempt: UInt32)
}

/// A detector that can also run guided checks.
public protocol CheckingDetector: TrackingDetector {
  /// Makes the guided check of one stream. Throws `invalidArgument`, naming the option, for values outside
  /// their range.
  /// - Parameter maxPictureBytes: limit for the pictures of a result, which are then JPEG files; `nil`: they
  ///   are pixels. Ignored where the caller keeps them.
  func makeChecker(
    _ options: CheckOptions, _ tracking: TrackingOptions, maxPictureBytes: Int?
  ) throws(Status) -> any FrameChecker
}
