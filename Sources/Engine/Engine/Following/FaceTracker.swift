import Analysis
import Detection
public import FaceCore
import Imaging
import Synchronization
import Tracking

import func Glibc.atan2

/// Tracks the faces of one stream with any detector. With the models of this process, whole frames are
/// searched every `detectionInterval` frames, and in between only the regions where faces are expected. If
/// outputs beyond the box are requested, a face's dense points alone lead to it in the next frame, as long as
/// the mesh network sees it there.
///
/// A face gets a track from `minConfidence` on and keeps it down to half of that; its confidence is reported
/// unchanged. It gets its id after `minHits` frames, or at once if the mesh network sees it, too.
///
/// A face that returns within `FaceAssociator.longestAbsence` has its id again if that is requested and it is clearly
/// the same. Time is that of the frames, or of the clock if they have none. What is kept for that is part of
/// this object alone, and is deleted with the first frame after that time.
///
/// With an analysis rate, frames between two searches are answered from `FacePrediction` and their pixels are
/// not read.
public final class FaceTracker: FrameTracker {
  struct State {
    var tracker: FaceAssociator
    /// The number of frames since a whole one was searched; `nil` if the next one must be.
    var framesSinceSearch: Int?
    var size: PixelSize?
    /// Faces of the last frame whose dense points are known, by tracklet number.
    var known: [UInt64: LandmarkedFace] = [:]
    /// Faces of the last frame as they were reported, by tracklet number.
    var steady: [UInt64: SteadyFace] = [:]
    /// The recent eye openings of each face, by tracklet number.
    var eyes: [UInt64: EyeHistory] = [:]
    /// The time of the frame, in nanoseconds.
    var time: Int64 = 0
    /// Ids that left in frames that failed and are not reported yet.
    var left: [UInt64] = []
    /// The appearance of each handed-in face when it was last found, by tracklet number.
    var appearances: [UInt64: FaceAppearance] = [:]
    var schedule: AnalysisSchedule
    var prediction = FacePrediction()
  }

  /// The detector that finds the faces.
  private enum Source {
    /// Any detector; crops of the pictures are not available.
    case any(any FaceDetector)
    case models(FrameDetector)
  }

  /// The number of frames between searches while no face is in view: the first face should be found soon.
  private static let intervalWithoutFaces = 3

  private let source: Source
  private let interval: Int
  private let isFollowedOnly: Bool
  // Frames come one at a time; the lock covers the hand-over from thread to thread.
  private let state: Mutex<State>

  /// Tracks by place and size alone. Throws `invalidArgument`, naming the option, for values out of range.
  public convenience init(_ detector: any FaceDetector, _ options: TrackingOptions) throws(Status) {
    try self.init(.any(detector), options)
  }

  /// Tracks by appearance, too, with the models of this process.
  convenience init(_ detector: FrameDetector, _ options: TrackingOptions) throws(Status) {
    try self.init(.models(detector), options)
  }

  private init(_ source: Source, _ options: TrackingOptions) throws(Status) {
    self.source = source
    interval = options.detectionInterval
    isFollowedOnly = options.isFollowedOnly
    state = Mutex(
      State(tracker: try FaceAssociator(options), schedule: AnalysisSchedule(rate: options.analysisRate)))
  }

  public func trackFaces(
    _ image: ImageInput, _ frame: FrameInfo, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    let time = FaceTracker.time(of: frame)
    let image = prepared(image)
    guard let square = try SquarePixels(image) else {
      if let predicted = try predicted(frame, at: time, { () throws(Status) in try UprightImage(image).size }) {
        return (predicted, left: [])
      }
      return try search(image, frame, at: time, options)
    }
    if let predicted = try predicted(square.square(frame), at: time, { square.size }) {
      return (square.own(predicted, options), left: [])
    }
    return try square.withCopy(of: image) { (copy) throws(Status) in
      let (result, left) = try search(copy, square.square(frame), at: time, options)
      return (square.own(result, options), left)
    }
  }

  private func search(
    _ image: ImageInput, _ frame: FrameInfo, at time: Int64, _ options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    switch source {
    case .any(let detector):
      return try updateState(for: image, at: time) { (state) throws(Status) in
        let found = try detector.detect(image, options: options.lowScore)
        var (result, numbers) = try identify(found, &state, options)
        let followed = placed(frame.followed, in: found.imageSize, &state)
        try addHandedIn(followed, &result, &numbers, pixels: [], &state) { _ in nil }
        if isFollowedOnly { keepFollowed(&result, &numbers, &state) }
        return (result.limited(to: options.maxFaces), numbers)
      }
    case .models(let detector):
      return try updateState(for: image, at: time) { (state) throws(Status) in
        try options.validate()
        let picture = try UprightImage(image, willCrop: !options.outputs.isEmpty)
        return try track(&state, picture, frame.followed, options, detector)
      }
    }
  }

  private func prepared(_ image: ImageInput) -> ImageInput {
    if case .models(let detector) = source { detector.prepared(image) } else { image }
  }

  /// The time of the frame, or of the clock if it has none.
  private static func time(of frame: FrameInfo) -> Int64 {
    frame.timestamp == 0 ? MonotonicTime.now().nanoseconds : Int64(clamping: frame.timestamp)
  }

  /// Predicts the faces of a frame that need not be searched, if it has the size of the last searched one.
  private func predicted(
    _ frame: FrameInfo, at time: Int64, _ size: () throws(Status) -> PixelSize
  ) throws(Status) -> DetectionResult? {
    let prediction = state.withLock { state -> FacePrediction? in
      guard state.schedule.leavesOut, !state.schedule.isDue(at: time), frame.followed.isEmpty else {
        return nil
      }
      return state.prediction
    }
    guard let prediction, let result = prediction.faces(at: time), try size() == result.imageSize else {
      return nil
    }
    return result
  }

  /// Tracks the faces of a decoded picture with valid options. Only with models of this process.
  func trackFaces(
    in picture: UprightImage, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    guard case .models(let detector) = source else { return try trackFaces(picture.input, options: options) }
    return try updateState(for: picture.input, at: 0) { (state) throws(Status) in
      try track(&state, picture, [], options, detector)
    }
  }

  /// Runs `find` with the state, and counts the frame as missed if it throws.
  /// - Parameter find: also returns the tracklet numbers of the faces.
  private func updateState(
    for image: ImageInput, at time: Int64,
    _ find: (inout State) throws(Status) -> (DetectionResult, numbers: [UInt64])
  ) throws(Status) -> (result: DetectionResult, left: [UInt64]) {
    image.clock?.begin(.tracking)
    defer { image.clock?.end() }
    var next = state.withLock { $0 }
    next.time = time
    do {
      let (result, numbers) = try find(&next)
      if next.schedule.leavesOut {
        next.schedule.searched(at: time)
        next.prediction.record(result, numbers, at: time)
      }
      // A face that left in a frame that failed may have its id again.
      let left = next.tracker.absentIDs(next.left).sorted()
      next.left = []
      state.withLock { $0 = next }
      return (result, left)
    } catch {
      // Nothing of the frame counts, wherever it failed: its caller has not seen any of its faces.
      state.withLock { state in
        state.left += state.tracker.skip(at: time)
        state.framesSinceSearch = nil
        state.prediction.forget()
      }
      throw error
    }
  }

  /// Associates the faces found with tracks.
  /// - Returns: the faces to report and their tracklet numbers.
  private func identify(
    _ found: DetectionResult, _ state: inout State, _ options: DetectionOptions,
    appearance: (Box) throws(Status) -> FaceAppearance? = { _ in nil },
    aligned: (Face) throws(Status) -> AlignedAppearance? = { _ in nil }
  ) throws(Status) -> (result: DetectionResult, numbers: [UInt64]) {
    let update = try state.tracker.update(
      found.faces, imageSize: found.imageSize, minConfidence: options.minConfidence, at: state.time,
      appearance: appearance, aligned: aligned)
    state.left += update.left
    return (DetectionResult(imageSize: found.imageSize, faces: update.faces), update.numbers)
  }

  private func track(
    _ state: inout State, _ picture: UprightImage, _ followed: [FollowedFace], _ options: DetectionOptions,
    _ detector: FrameDetector
  ) throws(Status) -> (DetectionResult, numbers: [UInt64]) {
    let followed = placed(followed, in: picture.size, &state)
    // The detector may have found a handed-in face, too.
    if !followed.isEmpty { state.framesSinceSearch = nil }
    var found: DetectionResult
    var expected: [UInt64] = []
    var known = FollowedPoints(picture.size == state.size ? state.known : [:])
    if isFollowedOnly {
      found = try findFollowed(followed, &state, &known, picture, options.lowScore, detector)
    } else if let detected = try findExpected(&state, &known, picture, options.lowScore, detector) {
      (found, expected) = detected
    } else {
      found = try detector.models.detector(for: options, isFrame: true).detector
        .findFaces(in: picture, options.lowScore)
      if options.isProminentOnly { found.keepMostProminent() }
      state.framesSinceSearch = 0
    }
    func appearance(_ box: Box) throws(Status) -> FaceAppearance? {
      try picture.input.cancellation?.check()
      return try FaceAppearance(of: box, in: picture)
    }
    let pixels = try addByPixels(to: &found, state, picture)
    var (tracked, numbers) = try identify(found, &state, options, appearance: appearance) {
      (face) throws(Status) in
      try picture.input.cancellation?.check()
      return try AlignedAppearance(of: face, in: picture)
    }
    try addHandedIn(followed, &tracked, &numbers, pixels: pixels, &state, appearance: appearance)
    if isFollowedOnly { keepFollowed(&tracked, &numbers, &state) }
    tracked.models = try detector.models.identities(for: options)
    // A face that is not where it was expected may be anywhere, even if another face is in its place.
    if !expected.allSatisfy(numbers.contains) { state.framesSinceSearch = nil }
    if picture.size != state.size { state.steady = [:] }
    state.size = picture.size
    let steadied = try steady(tracked, numbers, pixels: pixels, &state, picture)
    let completed = try complete(
      steadied.limited(to: options.maxFaces), numbers, &state, &known, picture, options, detector)
    return (completed, numbers)
  }

  /// Holds the boxes of faces that do not move.
  /// - Parameter pixels: boxes that follow the pixels already.
  private func steady(
    _ tracked: DetectionResult, _ numbers: [UInt64], pixels: [Box], _ state: inout State,
    _ picture: UprightImage
  ) throws(Status) -> DetectionResult {
    var (result, next) = (tracked, [UInt64: SteadyFace]())
    for (index, number) in numbers.enumerated() {
      try picture.input.cancellation?.check()
      if let before = state.steady[number], !pixels.contains(result.faces[index].box) {
        (result.faces[index], next[number]) = try before.steadied(
          result.faces[index], isSearched: state.framesSinceSearch == 0, in: picture)
      } else {
        next[number] = try SteadyFace(
          result.faces[index], isExact: state.framesSinceSearch == 0, in: picture)
      }
    }
    state.steady = next
    return result
  }

  /// Finds the faces of a frame that need not be searched as a whole, and returns the expected tracklets as
  /// well. Returns `nil` if the whole frame must be searched.
  private func findExpected(
    _ state: inout State, _ known: inout FollowedPoints, _ picture: UprightImage, _ options: DetectionOptions,
    _ detector: FrameDetector
  ) throws(Status) -> (DetectionResult, expected: [UInt64])? {
    guard let frames = state.framesSinceSearch, picture.size == state.size else { return nil }
    let expected = state.tracker.expectedBoxes(imageSize: picture.size)
    let interval = expected.isEmpty ? min(interval, FaceTracker.intervalWithoutFaces) : interval
    guard frames + 1 < interval else { return nil }
    guard let found = try detector.findExpected(expected, &known, in: picture, options) else {
      return nil
    }
    state.framesSinceSearch = frames + 1
    return (found, expected.map(\.number))
  }

  /// Adds the requested outputs and keeps the dense points for the next frame.
  /// - Parameter numbers: the tracklet numbers of the faces, in their order.
  private func complete(
    _ shown: DetectionResult, _ numbers: [UInt64], _ state: inout State, _ known: inout FollowedPoints,
    _ picture: UprightImage, _ options: DetectionOptions, _ detector: FrameDetector
  ) throws(Status) -> DetectionResult {
    state.known = [:]
    guard !options.outputs.isEmpty else { return shown }
    var withLandmarks = options
    withLandmarks.outputs.formUnion(.landmarks)
    var seen = shown
    for index in seen.faces.indices where seen.faces[index].landmarks == nil {
      seen.faces[index].landmarks = try detector.points(
        of: seen.faces[index], numbers[index], &known, in: picture, options)
    }
    if !state.eyes.isEmpty {
      let tracked = state.tracker.numbers
      state.eyes = state.eyes.filter { tracked.contains($0.key) }
    }
    var result = try detector.analysis.complete(
      seen, of: detector.models.model(for: options), in: picture, withLandmarks)
    for index in result.faces.indices {
      let number = numbers[index]
      if result.faces[index].track == nil, result.faces[index].landmarks != nil {
        let face = result.faces[index]
        result.faces[index].track = try state.tracker.confirm(number, at: state.time) { () throws(Status) in
          try AlignedAppearance(of: face, in: picture)
        }
      }
      if let eyes = result.faces[index].eyes, let landmarks = result.faces[index].landmarks {
        result.faces[index].eyes = state.eyes[number, default: EyeHistory()].relative(eyes, landmarks)
      }
      let wasFollowed = shown.faces[index].landmarks != nil
      state.known[number] = LandmarkedFace(
        result.faces[index], detected: shown.faces[index], options.rotations,
        following: wasFollowed ? known.faces[number] : nil)
      if !options.outputs.contains(.landmarks) { result.faces[index].landmarks = nil }
    }
    return result
  }
}

extension DetectionResult {
  /// Keeps the first faces only.
  /// - Parameter count: the maximum number of faces; 0 for all.
  fileprivate func limited(to count: Int) -> DetectionResult {
    guard count > 0 else { return self }
    var limited = self
    limited.faces = Array(faces.prefix(count))
    return limited
  }
}

extension DetectionOptions {
  /// The options for the detector: it also finds faces of low confidence, which only continue a track.
  fileprivate var lowScore: DetectionOptions {
    var lowScore = self
    lowScore.minConfidence = minConfidence / 2
    // No limit: a face left out of the result keeps its track until there is room again.
    lowScore.maxFaces = 0
    return lowScore
  }
}

extension FaceAppearance {
  /// Side of the crop in long sides of the box. It shows the head with its hair, which differs between people
  /// but not from frame to frame, and little of the background, which is the same for all.
  private static let cropScale: Float = 1.3

  /// The shortest long side of a box, in pixels: smaller faces differ too much from frame to frame.
  private static let minSide: Float = 12

  /// Returns `nil` if the box is too small, has no valid size or place, or has no contrast.
  init?(of box: Box, in picture: UprightImage) throws(Status) {
    let longSide = max(box.width, box.height)
    guard longSide >= FaceAppearance.minSide, longSide <= 4 * Float(picture.size.longSide),
      [box.x, box.y, box.width, box.height].allSatisfy(\.isFinite)
    else { return nil }
    let crop = try picture.crop(
      RotatedSquare(around: box, reach: FaceAppearance.cropScale), side: FaceAppearance.side, asDecoded: true)
    self.init(UnsafeRawBufferPointer(crop.pixels))
    extendLifetime(crop)
  }
}

extension AlignedAppearance {
  /// The smallest side of the part of the picture that is compared, in pixels: smaller heads all look alike.
  private static let minSide: Float = 32

  /// Returns `nil` for a face without points, one that is too small or nowhere near the picture, or without
  /// contrast.
  init?(of face: Face, in picture: UprightImage) throws(Status) {
    let crop = Float(AlignedAppearance.side)
    guard let points = face.points,
      let map = AffineMap.similarity(from: AlignedAppearance.points.all, to: points.all)
    else { return nil }
    let place = RotatedSquare(
      center: map(Point(x: crop / 2, y: crop / 2)), side: Float(map.areaScale.squareRoot()) * crop,
      angle: Float(atan2(map.yx, map.xx)) * 180 / .pi)
    guard place.isVisible(in: picture.size, minSide: AlignedAppearance.minSide) else { return nil }
    let pixels = try picture.crop(place, side: AlignedAppearance.side, asDecoded: true)
    self.init(UnsafeRawBufferPointer(pixels.pixels))
    extendLifetime(pixels)
  }
}
