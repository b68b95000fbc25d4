public import FaceCore

extension Engine: StreamingDetector {
  public func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    // Nothing here follows faces yet; what does makes this class a TrackingDetector.
    let tracking = self as any FaceDetector as? any TrackingDetector
    let tracker = try options.tracking.flatMap { (options) throws(Status) in
      try tracking?.makeTracker(options)
    }
    return try Session(self, tracker: tracker, options, deliver: deliver)
  }
}
