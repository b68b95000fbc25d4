/// The object that searches the frames of a stream: a detector, a tracker or a guided check.
package enum StreamSearcher: Sendable {
  /// Searches each frame by itself.
  case single(any FaceDetector)
  case tracked(any FrameTracker)
  case checked(any FrameChecker)

  /// Releases what a guided check keeps of attempts before `attempt`.
  package func forget(before attempt: UInt32) {
    if case .checked(let checker) = self { checker.forget(before: attempt) }
  }

  /// Searches the stream's next frame. Throws what its detector, tracker or checker throws.
  package func search(
    _ image: ImageInput, _ frame: FrameInfo, options: DetectionOptions
  ) throws(Status) -> FrameEvent {
    switch self {
    case .single(let detector):
      let result = try detector.detect(image, options: options)
      return FrameEvent(frame: frame, outcome: .faces(result))
    case .tracked(let tracker):
      let (result, left) = try tracker.trackFaces(image, frame, options: options)
      return FrameEvent(frame: frame, outcome: .faces(result), left: left)
    case .checked(let checker):
      let (result, left, report) = try checker.checkFrame(image, frame, options: options)
      return FrameEvent(frame: frame, outcome: .faces(result), left: left, check: report)
    }
  }
}
