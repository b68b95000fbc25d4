public import FaceCore

extension Engine: StreamingDetector {
  public func openStream(
    _ options: StreamOptions, deliver: @escaping @Sendable (FrameEvent) -> Void
  ) throws(Status) -> any FrameStream {
    let searcher = try use.during { () throws(Status) -> Session.Searcher in try makeSearcher(options) }
    return try Session(searcher, options, use, deliver: deliver)
  }

  private func makeSearcher(_ options: StreamOptions) throws(Status) -> Session.Searcher {
    if let check = options.check {
      // Loaded now, so that no frame waits for them, and what is missing is said at once.
      _ = try analysis.analyzer
      return .checked(
        try makeChecker(check, options.tracking ?? TrackingOptions(), maxPictureBytes: nil))
    }
    guard let tracking = options.tracking else { return .single(self) }
    return .tracked(try makeTracker(tracking))
  }
}
