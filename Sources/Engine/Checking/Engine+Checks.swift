public import FaceCore

extension Engine: CheckingDetector {
  public func makeChecker(
    _ options: CheckOptions, _ tracking: TrackingOptions, maxPictureBytes: Int?
  ) throws(Status) -> any FrameChecker {
    try options.check()
    return try GuidedChecker(frameSearch, options, tracking, maxPictureBytes: maxPictureBytes)
  }
}
