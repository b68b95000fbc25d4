public import FaceCore

extension Engine: StreamingDetector {
  public func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    if let check = options.check {
      // Loaded now, so that no frame waits for them, and what is missing is said at once.
      _ = try analysis.analyzer
      let checker = try makeChecker(check, options.tracking ?? TrackingOptions(), maxPictureBytes: nil)
      return try Session(.checked(checker), options, deliver: deliver)
    }
    guard let tracking = options.tracking else {
      return try Session(.single(self), options, deliver: deliver)
    }
    return try Session(.tracked(try makeTracker(tracking)), options, deliver: deliver)
  }
}
