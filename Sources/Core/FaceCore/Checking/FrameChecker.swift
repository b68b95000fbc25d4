/// A guided check of one stream of frames: the state that is kept between them, and no thread. Called as `FrameTracker` is.
public protocol FrameChecker: AnyObject, Sendable {
  /// Finds the faces of the next frame and tells what the check has to say. `image` is borrowed until the call returns.
  /// - Parameter frame: a new `attempt` begins the check anew.
  /// - Returns: also the ids of those that are in view no more, in ascending order.
  func process(
    _ image: ImageInput, _ frame: FrameInfo, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64], report: CheckReport)
}

/// Something that can guide a person to a good picture.
public protocol CheckingDetector: TrackingDetector {
  /// The guided check of one stream. Throws `invalidArgument`, naming the option, for values outside their range.
  /// - Parameter maxPictureBytes: of a result's pictures, which are then JPEG files; `nil`: they are pixels. Of no
  ///   meaning where the caller keeps them.
  func makeChecker(
    _ options: CheckOptions, _ tracking: TrackingOptions, maxPictureBytes: Int?
  ) throws(Status) -> any FrameChecker
}
