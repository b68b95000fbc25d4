public import FaceCore

extension Engine: StreamingDetector {
  public func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    let tracker = try options.tracking.map { (tracking) throws(Status) in try makeTracker(tracking) }
    return try Session(self, tracker: tracker, options, deliver: deliver)
  }
}
