import Analysis
import Detection
public import FaceCore
import GuidedCheck
import Imaging
import Posix

/// Runs the guided check of one stream with the models of this process: tracks the faces, measures what the
/// check needs, and keeps the best picture.
package final class GuidedChecker: FrameChecker {
  private final class State {
    var check: GuidedCheck
    var attempt: UInt32 = 0
    var best: Result<KeptPicture, Status>?
    /// Ids that left in frames that failed later on and are not reported yet.
    var left: [UInt64] = []

    init(_ check: consuming GuidedCheck) {
      self.check = check
    }
  }

  /// The side in pixels of the crop in which a face's brightness is measured.
  private static let brightnessSide = 32
  /// The size in pixels at which a detector still finds a face, and the long side of the smallest picture
  /// given to it.
  private static let (detectedFace, minSide): (Float, Float) = (16, 448)

  private let detector: FrameDetector
  private let tracker: FaceTracker
  private let options: CheckOptions
  /// The limit for a result's pictures together, encoded as JPEG; `nil` to return pixels.
  private let maxPictureBytes: Int?
  // Frames come one at a time; the lock covers the hand-over from thread to thread.
  private let state: Monitor<State>

  /// - Parameter options: validated options.
  init(
    _ detector: FrameDetector, _ options: CheckOptions, _ tracking: TrackingOptions, maxPictureBytes: Int?
  ) throws(Status) {
    self.detector = detector
    self.options = options
    self.maxPictureBytes = maxPictureBytes
    tracker = try FaceTracker(detector, tracking)
    let seed = options.seed == 0 ? UInt64.random(in: .min ... .max) : options.seed
    state = Monitor(State(GuidedCheck(options, seed: seed)))
  }

  /// The bytes of the best picture's pixels, or of the files made of it; `nil` if none was kept so far.
  package var keptBytes: Int? { state.withLock { try? $0.best?.get().byteCount } }

  package func forget(before attempt: UInt32) {
    state.withLock { state in if state.attempt != attempt { state.best = nil } }
  }

  package func checkFrame(
    _ image: ImageInput, _ frame: FrameInfo, options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64], report: CheckReport) {
    try options.validate()
    guard image.pixelAspect == 1 else {
      throw Status(
        .invalidArgument,
        "a guided check needs square pixels; scale the picture, as ffmpeg -vf scale=iw*sar:ih,setsar=1 does, and leave "
          + "pixel_aspect 0",
        .field("image.pixel_aspect"))
    }
    let time =
      self.options.usesTimestamps ? Int64(clamping: frame.timestamp) : MonotonicTime.now().nanoseconds
    // Loads the networks with the first frame, not with the first one that needs them.
    _ = try detector.analysis.analyzer
    let picture = try UprightImage(detector.prepared(image), willCrop: true)
    if self.options.isStill { return try checkPhoto(picture, options) }
    return try state.withLock { (state) throws(Status) in
      try check(picture, of: frame, at: time, options, state)
    }
  }

  private func check(
    _ picture: UprightImage, of frame: FrameInfo, at time: Int64, _ options: DetectionOptions, _ state: State
  ) throws(Status) -> (result: DetectionResult, left: [UInt64], report: CheckReport) {
    if frame.attempt != state.attempt {
      state.check.restart(attempt: frame.attempt)
      (state.attempt, state.best) = (frame.attempt, nil)
    }
    var detection = options
    detection.outputs.formUnion(state.check.neededOutputs)
    if detection.maxSide == nil {
      detection.maxSide = sufficientSide(try state.check.minFace(in: picture.size), picture.size, options)
    }
    let (result, left) = try tracker.trackFaces(in: picture, options: detection)
    state.left += left
    let person = try state.check.personFace(among: result.faces, imageSize: result.imageSize)
    var brightness: Float?
    if state.check.needsBrightness, let person {
      brightness = try self.brightness(of: result.faces[person], in: picture)
    }
    var step = try state.check.step(
      GuidedCheck.Frame(
        time: time, imageSize: result.imageSize, faces: result.faces, brightness: brightness))
    if let best = step.best {
      // Releases the old picture first, so that there are never two. If the new one cannot be kept, the last
      // event says so, instead of returning the old one.
      state.best = nil
      state.best = keep(picture, result.faces[best])
    }
    if step.isFinished { step.report.events.append(lastEvent(with: state.best)) }
    if !step.report.needsPicture { state.best = nil }
    defer { state.left = [] }
    return (result, state.left, step.report)
  }

  private func keep(_ picture: UprightImage, _ face: Face) -> Result<KeptPicture, Status> {
    Result { () throws(Status) in try KeptPicture(picture, face, options, maxBytes: maxPictureBytes) }
  }

  /// The last event of a successful check: its result, or why there is no picture.
  private func lastEvent(with best: Result<KeptPicture, Status>?) -> CheckEvent {
    do throws(Status) {
      guard let best else { throw Status(.internal, "none was kept") }
      return .result(try best.get().result())
    } catch {
      return .failed(.noPicture(error.message))
    }
  }

  /// The long side at which the detector still finds a face of `minFace` pixels. Faces in the circle are
  /// large, so it may be small.
  private func sufficientSide(_ minFace: Float, _ size: PixelSize, _ options: DetectionOptions) -> Int {
    let most = options.effectiveMaxSide
    let side = GuidedChecker.detectedFace / minFace * Float(size.longSide)
    guard side < Float(most == 0 ? ImageLimits.maxTargetSide : most) else { return most }
    return Int(max(side, GuidedChecker.minSide))
  }

  private func checkPhoto(
    _ picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> (result: DetectionResult, left: [UInt64], report: CheckReport) {
    var detection = options
    detection.outputs.formUnion(GuidedCheck.outputs(forPhotos: self.options))
    detection.maxAnalysedFaces = 0
    let result = try detector.analysis.complete(
      try detector.models.detector(for: detection).detector.findFaces(in: picture, detection),
      of: detector.models.model(for: detection), in: picture, detection)
    var frame = GuidedCheck.Frame(time: 0, imageSize: result.imageSize, faces: result.faces)
    if self.options.asksForBrightness,
      let person = try GuidedCheck.personFace(ofPhoto: frame, self.options)
    {
      frame.brightness = try brightness(of: result.faces[person], in: picture)
    }
    var step = try GuidedCheck.photo(frame, self.options)
    if let best = step.best {
      step.report.events.append(.result(try keep(picture, result.faces[best]).get().result()))
    }
    return (result, [], step.report)
  }

  /// The mean luma of the face, 0…1; `nil` for a face without a size.
  private func brightness(of face: Face, in picture: UprightImage) throws(Status) -> Float? {
    let square = RotatedSquare(around: face.box)
    guard square.side > 0, square.side.isFinite else { return nil }
    return FaceLuma(try picture.crop(square, side: GuidedChecker.brightnessSide)).mean / 255
  }
}

/// The best picture of a check so far: one face in one frame.
struct KeptPicture {
  /// The most bytes of pixels that an engine keeps for a check. Of a larger picture it keeps the JPEG files of the
  /// result.
  private static let maxPixelBytes = 15_000_000

  private enum Kept {
    /// With the pictures, if there are to be any.
    case result(CheckResult)
    /// Most pictures are replaced by a better one, so their files would be made in vain.
    case pixels(CheckResult, TakenPicture)
  }

  private let options: CheckOptions
  private let maxBytes: Int?
  private let kept: Kept

  /// - Parameters:
  ///   - face: the face, in pixels of `picture`.
  ///   - maxBytes: as in `CheckResult.showing`.
  init(_ picture: UprightImage, _ face: Face, _ options: CheckOptions, maxBytes: Int?) throws(Status) {
    (self.options, self.maxBytes) = (options, maxBytes)
    let result = CheckResult(face, in: picture.size, options)
    guard !options.callerKeepsPicture else {
      kept = .result(result)
      return
    }
    let taken = try TakenPicture(picture)
    if maxBytes != nil, taken.byteCount > KeptPicture.maxPixelBytes {
      kept = .result(try result.showing(taken, options, maxBytes: maxBytes))
    } else {
      kept = .pixels(result, taken)
    }
  }

  var byteCount: Int {
    switch kept {
    case .result(let result): result.picture.bytes.count + result.crop.bytes.count
    case .pixels(_, let taken): taken.byteCount
    }
  }

  func result() throws(Status) -> CheckResult {
    switch kept {
    case .result(let result): result
    case .pixels(let result, let taken): try result.showing(taken, options, maxBytes: maxBytes)
    }
  }
}

extension Engine: CheckingDetector {
  public func makeChecker(
    _ options: CheckOptions, _ tracking: TrackingOptions, maxPictureBytes: Int?
  ) throws(Status) -> any FrameChecker {
    try options.validate()
    try tracking.validateForCheck()
    return try GuidedChecker(frameDetector, options, tracking, maxPictureBytes: maxPictureBytes)
  }
}
