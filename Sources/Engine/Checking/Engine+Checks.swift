public import FaceCore

extension Engine: CheckingDetector {
  public func makeChecker(
    _ options: CheckOptions, _ tracking: TrackingOptions, maxPictureBytes: Int?
  ) throws(Status) -> any FrameChecker {
    try options.validate()
    return try GuidedChecker(frameDetector, options, tracking, maxPictureBytes: maxPictureBytes)
  }
}
