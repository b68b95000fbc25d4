public import FaceCore
import Imaging
import Synchronization
import Tracking

/// Follows the faces of one stream with any detector. With the models of this process whole frames are searched every so
/// often, in between only the places where faces are expected, or none where there are none; and where more is to be told
/// of a face than its box, its dense points alone say where it is in the next frame, as long as the mesh network sees it
/// there.
///
/// A face is somebody from `minConfidence` on, and stays so down to half of it: its own confidence is told all the same.
public final class FaceTracker: FrameTracker {
  private struct State {
    var tracker: Tracker
    /// Frames since a whole one was searched; `nil` where the next one must be.
    var framesSinceSearch: Int?
    var size: PixelSize?
    /// Those of the last frame's faces whose dense points are known, by the ids of their tracks.
    var known: [UInt64: TrackedFace] = [:]
    /// Those that left in frames that failed, not told yet.
    var left: [UInt64] = []
  }

  /// What finds the faces.
  private enum Source {
    case detector(any FaceDetector)
    case models(FrameDetector)
  }

  /// Frames from one search to the next while nobody is in view: somebody waits for the first face to be seen.
  private static let intervalWithoutFaces = 3

  private let source: Source
  private let interval: Int
  // Frames come one at a time; the lock is for the hand-over from thread to thread.
  private let state: Mutex<State>

  /// By place and size alone. Throws `invalidArgument`, naming the option, for values outside their range.
  public convenience init(_ detector: any FaceDetector, _ options: TrackingOptions) throws(Status) {
    try self.init(.detector(detector), options)
  }

  /// The same with models of this process.
  convenience init(_ search: FrameDetector, _ options: TrackingOptions) throws(Status) {
    try self.init(.models(search), options)
  }

  private init(_ source: Source, _ options: TrackingOptions) throws(Status) {
    self.source = source
    interval = options.detectionInterval
    state = Mutex(State(tracker: try Tracker(options)))
  }

  public func process(
    _ image: ImageInput, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    switch source {
    case .detector(let detector):
      try process(image, options) { (state) throws(Status) in
        try identify(try detector.detect(image, options: options.faint), &state, options)
          .limited(to: options.maxFaces)
      }
    case .models(let search):
      try process(image, options) { (state) throws(Status) in
        try options.validate()
        let picture = try UprightImage(image, willCrop: !options.outputs.isEmpty)
        return try step(&state, picture, options, search)
      }
    }
  }

  /// The same for a picture that others look at as well; only with models of this process.
  func process(
    _ picture: UprightImage, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    guard case .models(let search) = source else { return try process(picture.input, options: options) }
    return try process(picture.input, options) { (state) throws(Status) in
      try step(&state, picture, options, search)
    }
  }

  private func process(
    _ image: ImageInput, _ options: DetectionOptions,
    _ find: (inout State) throws(Status) -> DetectionResult
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    image.clock?.begin(.tracking)
    defer { image.clock?.end() }
    var state = state.withLock { $0 }
    defer { self.state.withLock { $0 = state } }
    do {
      let result = try find(&state)
      defer { state.left = [] }
      return (result, state.left.sorted())
    } catch {
      state.left += state.tracker.skip()
      state.framesSinceSearch = nil
      throw error
    }
  }

  /// Says who is who: all that are somebody, with their tracks.
  private func identify(
    _ found: DetectionResult, _ state: inout State, _ options: DetectionOptions,
    look: (Box) throws(Status) -> FaceAppearance? = { _ in nil }
  ) throws(Status) -> DetectionResult {
    let update = try state.tracker.update(
      found.faces, imageSize: found.imageSize, minConfidence: options.minConfidence, look: look)
    state.left += update.left
    return DetectionResult(imageSize: found.imageSize, faces: update.faces)
  }

  private func step(
    _ state: inout State, _ picture: UprightImage, _ options: DetectionOptions, _ search: FrameDetector
  ) throws(Status) -> DetectionResult {
    let found: DetectionResult
    let expected: [UInt64]
    if let followed = try follow(&state, picture, options.faint, search) {
      (found, expected) = followed
    } else {
      found = try search.whole.detect(picture, options: options.faint)
      expected = []
      state.framesSinceSearch = 0
    }
    let tracked = try identify(found, &state, options) { (box) throws(Status) in
      try picture.input.cancellation?.check()
      return try FaceAppearance(of: box, in: picture)
    }
    // One that is not where it should be may be anywhere, also where somebody else is there.
    let seen = tracked.faces.compactMap { $0.track?.id }
    if !expected.allSatisfy(seen.contains) { state.framesSinceSearch = nil }
    if picture.size != state.size { state.known = [:] }
    state.size = picture.size
    return try complete(
      tracked.limited(to: options.maxFaces), &state, picture, options.outputs, search)
  }

  /// The faces of a frame that need not be searched as a whole, and who was expected; `nil` for one that must be.
  private func follow(
    _ state: inout State, _ picture: UprightImage, _ options: DetectionOptions, _ search: FrameDetector
  ) throws(Status) -> (DetectionResult, expected: [UInt64])? {
    guard let frames = state.framesSinceSearch, picture.size == state.size else { return nil }
    let expected = state.tracker.expectedBoxes(imageSize: picture.size)
    let interval = expected.isEmpty ? min(interval, FaceTracker.intervalWithoutFaces) : interval
    guard frames + 1 < interval else { return nil }
    guard let found = try search.search(picture, for: expected, state.known, options: options) else {
      return nil
    }
    state.framesSinceSearch = frames + 1
    return (found, expected.map(\.id))
  }

  /// Tells what was asked for, and keeps the dense points for the next frame.
  private func complete(
    _ shown: DetectionResult, _ state: inout State, _ picture: UprightImage, _ outputs: FaceOutputs,
    _ search: FrameDetector
  ) throws(Status) -> DetectionResult {
    let before = state.known
    state.known = [:]
    guard !outputs.isEmpty else { return shown }
    var seen = shown
    for index in seen.faces.indices where seen.faces[index].landmarks == nil {
      guard let known = seen.faces[index].track.flatMap({ before[$0.id] }) else { continue }
      seen.faces[index].landmarks = try search.points(of: seen.faces[index], known, in: picture)
    }
    var result = try search.analysis.complete(seen, in: picture, outputs.union(.landmarks))
    for index in result.faces.indices {
      guard let id = result.faces[index].track?.id else { continue }
      let wasFollowed = shown.faces[index].landmarks != nil
      state.known[id] = TrackedFace(result.faces[index], following: wasFollowed ? before[id] : nil)
      if !outputs.contains(.landmarks) { result.faces[index].landmarks = nil }
    }
    return result
  }
}

extension DetectionResult {
  /// - Parameter count: 0 for all.
  fileprivate func limited(to count: Int) -> DetectionResult {
    count > 0 ? DetectionResult(imageSize: imageSize, faces: Array(faces.prefix(count))) : self
  }
}

extension DetectionOptions {
  /// What is asked of the detector: also faces that only keep an identity.
  fileprivate var faint: DetectionOptions {
    var faint = self
    faint.minConfidence = minConfidence / 2
    // All of them: who is left out for being too many is still the same person when there is room again.
    faint.maxFaces = 0
    return faint
  }
}

extension FaceAppearance {
  /// Long sides of the box: the head with its hair, which tells people apart and does not change from frame to frame, and
  /// little of what is behind it, which is the same for all who come there.
  private static let reach: Float = 1.3

  /// Pixels of the long side of the box: a smaller face is too different from frame to frame.
  private static let leastSide: Float = 12

  /// `nil` for a face whose box is too small or has no size or place, and where it has no contrast.
  init?(of box: Box, in picture: UprightImage) throws(Status) {
    let longSide = max(box.width, box.height)
    guard longSide >= FaceAppearance.leastSide, longSide <= 4 * Float(picture.size.longSide),
      [box.x, box.y, box.width, box.height].allSatisfy(\.isFinite)
    else { return nil }
    let crop = try picture.crop(
      RotatedSquare(around: box, reach: FaceAppearance.reach), side: FaceAppearance.side, asDecoded: true)
    self.init(UnsafeRawBufferPointer(crop.pixels))
    extendLifetime(crop)
  }
}
