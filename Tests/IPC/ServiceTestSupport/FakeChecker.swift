public import FaceCore
import Synchronization

/// A check that counts: its progress is the number of frames of the attempt. The second frame is the best,
/// and the third has the result.
final class FakeChecker: FrameChecker {
  private let detector: FakeDetector
  private let tracker: any FrameTracker
  private let options: CheckOptions
  private let maxPictureBytes: Int
  private let state = Mutex((attempt: UInt32(0), frames: 0))

  init(_ detector: FakeDetector, _ tracker: any FrameTracker, _ options: CheckOptions, _ maxPictureBytes: Int) {
    self.detector = detector
    self.tracker = tracker
    self.options = options
    self.maxPictureBytes = maxPictureBytes
  }

  func forget(before attempt: UInt32) {}

  func checkFrame(
    _ image: ImageInput, _ frame: FrameInfo, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64], report: CheckReport) {
    let (result, left) = try tracker.trackFaces(image, options: options)
    let frames = state.withLock { state in
      if state.attempt != frame.attempt { state = (frame.attempt, 0) }
      state.frames += 1
      return state.frames
    }
    var events: [CheckEvent] = frames == 1 ? [.status(.waiting), .tip(.prompt)] : []
    if !result.faces.isEmpty { events.append(.draw(face: 0)) }
    if frames == 3, let face = result.faces.first {
      let isKept = self.options.callerKeepsPicture
      let bytes = [UInt8](repeating: 0xD8, count: isKept ? 0 : maxPictureBytes / 2)
      let picture = CheckPicture(
        size: PixelSize(width: 20, height: 30), form: isKept ? .keptByCaller : .jpeg, bytes: bytes)
      events += [
        .status(.finish),
        .result(CheckResult(face: face, picture: picture, crop: picture, cropBox: face.box)),
      ]
    }
    let state: CheckState = frames < 2 ? .waiting : frames == 2 ? .checking : .finish
    let report = CheckReport(
      attempt: frame.attempt, state: state, tip: .prompt, progress: Float(frames),
      actionsDone: Int(frame.timestamp), actionCount: self.options.actions.count,
      circle: self.options.mask ?? Circle(center: Point(x: 0, y: 0), radius: 0), events: events,
      isBest: frames == 2)
    return (result, left, report)
  }
}

extension FakeDetector: CheckingDetector {
  public func makeChecker(
    _ options: CheckOptions, _ tracking: TrackingOptions, maxPictureBytes: Int?
  ) throws(Status) -> any FrameChecker {
    try options.validate()
    return FakeChecker(self, try makeTracker(tracking), options, maxPictureBytes ?? 100)
  }
}
