public import FaceCore
import Synchronization
import Tracking

/// Follows the faces of one stream with any detector: whole frames are searched every so often, in between only the
/// places where faces are expected, if the detector can do that.
///
/// A face is somebody from `minConfidence` on, and stays so down to half of it: its own confidence is told all the same.
public final class FaceFollower: FrameTracker {
  private struct State {
    var tracker: Tracker
    /// Frames since a whole one was searched; `nil` where the next one must be.
    var framesSinceSearch: Int?
    var size: PixelSize?
    /// Those that left in frames that failed, not told yet.
    var left: [UInt64] = []
  }

  private let detector: any FaceDetector
  private let regional: RegionalSearch?
  /// For what the detector does not tell of a face.
  private let analysis: AnalysisModels?
  private let interval: Int
  // Frames come one at a time; the lock is for the hand-over from thread to thread.
  private let state: Mutex<State>

  /// Throws `invalidArgument`, naming the option, for values outside their range.
  public convenience init(_ detector: any FaceDetector, _ options: TrackingOptions) throws(Status) {
    try self.init(detector, options, regional: nil, analysis: nil)
  }

  init(
    _ detector: any FaceDetector, _ options: TrackingOptions, regional: RegionalSearch?,
    analysis: AnalysisModels?
  ) throws(Status) {
    guard options.detectionInterval >= 1 else {
      throw Status(
        .invalidArgument,
        "detection interval is \(options.detectionInterval); give 1 for every frame, or more")
    }
    self.detector = detector
    self.regional = regional
    self.analysis = analysis
    interval = options.detectionInterval
    state = Mutex(State(tracker: try Tracker(options)))
  }

  public func process(
    _ image: ImageInput, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    image.clock?.begin(.tracking)
    defer { image.clock?.end() }
    var state = state.withLock { $0 }
    defer { self.state.withLock { $0 = state } }
    do {
      return try step(&state, image, options)
    } catch {
      state.left += state.tracker.skip()
      state.framesSinceSearch = nil
      throw error
    }
  }

  private func step(
    _ state: inout State, _ image: ImageInput, _ options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    var faint = options
    faint.minConfidence = options.minConfidence / 2
    // All of them: who is left out for being too many is still the same person when there is room again.
    faint.maxFaces = 0
    let found: DetectionResult
    let expected: Int
    if let regionally = try follow(&state, image, faint) {
      (found, expected) = regionally
    } else {
      found = try detector.detect(image, options: faint)
      expected = 0
      state.framesSinceSearch = 0
    }
    let update = state.tracker.update(
      found.faces, imageSize: found.imageSize, minConfidence: options.minConfidence)
    // One that is not where it should be may be anywhere.
    if update.faces.count < expected { state.framesSinceSearch = nil }
    state.size = found.imageSize
    let shown = options.maxFaces > 0 ? Array(update.faces.prefix(options.maxFaces)) : update.faces
    var result = DetectionResult(imageSize: found.imageSize, faces: shown)
    let left = (state.left + update.left).sorted()
    state.left = left
    if let analysis { result = try analysis.complete(result, of: image, options.outputs) }
    state.left = []
    return (result, left)
  }

  /// The faces of a frame that need not be searched as a whole, and how many were expected; `nil` for one that must be.
  private func follow(
    _ state: inout State, _ image: ImageInput, _ options: DetectionOptions
  ) throws(Status) -> (DetectionResult, expected: Int)? {
    guard let regional, let frames = state.framesSinceSearch, frames + 1 < interval, let size = state.size
    else { return nil }
    let expected = state.tracker.expectedBoxes(imageSize: size)
    guard let found = try regional.search(image, imageSize: size, around: expected, options: options) else {
      return nil
    }
    state.framesSinceSearch = frames + 1
    return (found, expected.count)
  }
}
